/** A gitignore pattern that matches exactly this path, relative to the top. */
export const ignorePattern = (path: string): string =>
  `/${path.replaceAll(/[\\*?[\]]/g, String.raw`\$&`).replace(/ +$/, String.raw`\ `)}`
