/** Service worker: show a notification when it is the player's turn, and open the match on a click. */

self.addEventListener("push", (event) => {
  const told = read(event.data);
  event.waitUntil(
    self.registration.showNotification(told.title ?? "Khamsin", {
      body: told.text ?? "It is your turn.",
      tag: path(told),
      icon: "/icon.svg",
      data: { path: path(told) },
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path ?? "/games"));
});

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return { text: data?.text() };
  }
}

/** Only addresses of this site are opened. */
function path(told) {
  if (typeof told.link !== "string") return "/games";
  const address = new URL(told.link, self.location.origin);
  return address.origin === self.location.origin ? address.pathname + address.hash : "/games";
}

async function open(path) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => new URL(one.url).pathname === path.split("#")[0]);
  return there ? there.focus() : self.clients.openWindow(path);
}
