/** Recognizes installed code, which the user need not trust file by file: packages, including this one. */

const ownRoot = new URL('../../../', import.meta.url).href

/** Ignores the query and fragment of the URL, which do not affect the location. */
export function isInstalled(url: string): boolean {
  const [path = ''] = url.split(/[?#]/)
  return path.startsWith('file:') && (path.includes('/node_modules/') || path.startsWith(ownRoot))
}
