import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** Components are TypeScript with runes; styles are kept in files, since the page's policy refuses inline ones. */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: true },
};
