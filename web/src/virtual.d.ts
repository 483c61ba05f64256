/** The symbols of all games, drawn when the client is built, by their codes. */
declare module "virtual:symbols" {
  const symbols: Record<string, import("./lib/symboldrawing").Drawing>;
  export default symbols;
}
