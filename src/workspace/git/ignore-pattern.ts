/** A line for a list of what is ignored that means this path, from the top, and no other. */
export const ignorePattern = (path: string): string =>
  `/${path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/ +$/, String.raw`\ `)}`
