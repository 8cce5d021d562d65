/** Which code the owner installed, and so need not trust file by file: packages, and this one. */

const ownRoot = new URL('../../../', import.meta.url).href

/** By its path alone: what follows it says nothing about where the file is. */
export function isInstalled(url: string): boolean {
  const [path = ''] = url.split(/[?#]/)
  return path.startsWith('file:') && (path.includes('/node_modules/') || path.startsWith(ownRoot))
}
