/** A text to save, with its file name and type. */
export interface TextFile {
  name: string;
  text: string;
  type: string;
}

/** Save a text as a file. */
export function download({ name, text, type }: TextFile): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The file name in a Content-Disposition header, or a default. */
export const fileNameIn = (disposition: string | null, otherwise: string): string =>
  /filename="?([^";]+)"?/.exec(disposition ?? "")?.[1]?.replaceAll(/[/\\]/g, "-") ?? otherwise;
