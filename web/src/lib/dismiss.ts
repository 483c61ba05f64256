/** Close a menu or list as players expect: by Escape, or by a click outside it. */

/** An attachment for the element that holds the menu and the button that opens it. */
export function dismissible(isOpen: () => boolean, close: () => void): (node: HTMLElement) => () => void {
  return (node) => {
    const pointed = (event: PointerEvent): void => {
      if (isOpen() && !(event.target instanceof Node && node.contains(event.target))) close();
    };
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !isOpen()) return;
      event.stopPropagation();
      event.preventDefault();
      close();
    };
    // Captured, so that the map cannot swallow the click and Escape closes the menu before it deselects a unit.
    document.addEventListener("pointerdown", pointed, true);
    document.addEventListener("keydown", pressed, true);
    return () => {
      document.removeEventListener("pointerdown", pointed, true);
      document.removeEventListener("keydown", pressed, true);
    };
  };
}
