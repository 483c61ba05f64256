/** Shows a notice when it is somebody's turn, and opens the game when it is clicked. */

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

/** Only addresses of our own are opened. */
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
