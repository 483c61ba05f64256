/** Notifications while the page is closed: the browser's push service and the service worker. */

import { api } from "./api";

/** Whether this browser supports notifications; it needs a secure address. */
export const canPush = (): boolean =>
  typeof navigator !== "undefined" && "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** Why notifications could not be switched on. */
export class NoPush extends Error {}

/** Ask for permission, subscribe, and send the subscription to the server. */
export async function subscribe(serverKey: string): Promise<void> {
  if (!canPush()) throw new NoPush("Browser notifications need a secure (https) address.");
  if ((await Notification.requestPermission()) !== "granted") throw new NoPush("The browser did not get permission to show notifications.");
  const worker = await navigator.serviceWorker.register("/push.js");
  await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: keyBytes(serverKey) });
  const { endpoint, keys } = subscription.toJSON();
  await api.push({ endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" });
}

/** Cancel the subscription of this browser. */
export async function unsubscribe(): Promise<void> {
  if (!canPush()) return;
  const worker = await navigator.serviceWorker.getRegistration("/push.js");
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
}

/** A key in the alphabet of addresses, as bytes. */
export function keyBytes(key: string): Uint8Array<ArrayBuffer> {
  const text = atob(key.replaceAll("-", "+").replaceAll("_", "/").padEnd(Math.ceil(key.length / 4) * 4, "="));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}
