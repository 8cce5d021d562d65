/**
 * Masks strings and comments in code, keeping every other character in place: enough to search for tokens of a
 * language without knowing its grammar.
 *
 * No pattern backtracks over what it has read: a hostile file takes no longer than any other.
 */

export type Family = 'script' | 'python' | 'ruby' | 'go' | 'rust' | 'java'

const families: readonly (readonly [Family, RegExp])[] = [
  ['script', /\.[cm]?[jt]sx?$/],
  ['python', /\.pyi?$/],
  ['ruby', /\.rb$/],
  ['go', /\.go$/],
  ['rust', /\.rs$/],
  ['java', /\.(java|kts?|cs|scala|swift|c|cc|cpp|h|hpp|php|dart)$/],
]

/** Undefined: unknown language. */
export const findLanguageFamily = (path: string): Family | undefined =>
  families.find(([, pattern]) => pattern.test(path))?.[0]

const slashes = String.raw`\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)`
const double = String.raw`"(?:\\[\s\S]|[^"\\\n])*"?`
const single = String.raw`'(?:\\[\s\S]|[^'\\\n])*'?`
const backtick = String.raw`\`(?:\\[\s\S]|[^\`\\])*\`?`
const triple = String.raw`"""(?:[\s\S]*?"""|[\s\S]*)|'''(?:[\s\S]*?'''|[\s\S]*)`
// After an operator or `return` a slash starts a pattern; after a name or a number it divides.
const pattern = String.raw`(?<=(?:[(,=:[!&|?{};\n]|\breturn)[ \t]{0,20})\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\\n[]){1,200}\/[a-z]*`
const rawString = String.raw`r#"(?:[\s\S]*?"#|[\s\S]*)`
// A lifetime has no second quote.
const character = String.raw`'(?:\\[^'\n]{1,10}|[^'\\\n])'`

const masked: Readonly<Record<Family, RegExp>> = {
  script: new RegExp([slashes, double, single, backtick, pattern].join('|'), 'g'),
  python: new RegExp([String.raw`#[^\n]*`, triple, double, single].join('|'), 'g'),
  ruby: new RegExp([String.raw`#(?!\{)[^\n]*`, double, single].join('|'), 'g'),
  go: new RegExp([slashes, double, character, backtick].join('|'), 'g'),
  rust: new RegExp([slashes, rawString, double, character].join('|'), 'g'),
  java: new RegExp([slashes, triple, double, single].join('|'), 'g'),
}

/** Has the same length; the quotes of a string stay, so that something is where it was. */
export function maskCode(family: Family, text: string): string {
  return text.replaceAll(masked[family], (found) => {
    const isString = /^["'`r]/.test(found) && found.length > 1
    const inner = (isString ? found.slice(1, -1) : found).replaceAll(/[^\n]/g, ' ')
    return isString ? `${found.slice(0, 1)}${inner}${found.slice(-1)}` : inner
  })
}
