/** Which code the owner installed, and so need not trust file by file: packages, and this one. */

const ownRoot = new URL('../../../', import.meta.url).href

export const isInstalled = (url: string): boolean =>
  url.startsWith('file:') && (url.includes('/node_modules/') || url.startsWith(ownRoot))
