/** Notices from the server while the page is closed: the browser's push service and our service worker. */

import { api } from "./api";

/** Whether this browser can be told anything at all: it needs a secure address. */
export const canPush = (): boolean =>
  typeof navigator !== "undefined" && "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** Why notices could not be switched on, in a sentence. */
export class NoPush extends Error {}

/** Ask for the right to notify, subscribe, and tell the server where to send. */
export async function subscribe(serverKey: string): Promise<void> {
  if (!canPush()) throw new NoPush("This browser takes no notices here; it needs a secure (https) address.");
  if ((await Notification.requestPermission()) !== "granted") throw new NoPush("The browser was not allowed to show notices.");
  const worker = await navigator.serviceWorker.register("/push.js");
  await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: keyBytes(serverKey) });
  const { endpoint, keys } = subscription.toJSON();
  await api.push({ endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" });
}

/** Take the subscription of this browser back. */
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
