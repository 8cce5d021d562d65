/**
 * Finds the scripts of package.json that the checks can run: those that a command names, those that they name in turn, and
 * the scripts that npm runs around them. When in doubt, includes a script.
 */

const charsMax = 20_000

/** Scripts that npm runs during an install. */
const hooks = new Set('preinstall install postinstall prepare preprepare postprepare'.split(' '))
const shortNames: ReadonlyMap<string, string> = new Map([
  ['t', 'test'],
  ['tst', 'test'],
])

/** Commands that run scripts whose names do not appear in the line. */
const opaque =
  /(?:^|[\s;&|(/])(?:g?make|just|task|sh|bash|zsh|dash|turbo|nx|lerna|rush|lage|wireit|moon|bazel|tox|nox|invoke|rake|gradlew?|mvnw?)(?=$|[\s;&|)])|\.(?:sh|bash)\b|\$\(|`|\beval\b/

/** Undefined: any script may be run. */
export function reachableScripts(
  commands: readonly (readonly string[])[],
  scripts: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> | undefined {
  const names = [...scripts.keys()]
  const reached = new Set(names.filter((name) => hooks.has(name)))
  const lines = commands.map(toShellLine)
  for (const name of reached) lines.push(...(scripts.get(name) ?? []))
  // The list grows during the iteration.
  for (const line of lines) {
    if (line.length > charsMax || opaque.test(line)) return undefined
    for (const name of namedIn(line, names)) {
      for (const one of [name, `pre${name}`, `post${name}`]) {
        if (reached.has(one) || !scripts.has(one)) continue
        reached.add(one)
        lines.push(...(scripts.get(one) ?? []))
      }
    }
  }
  return reached
}

/** A command that was written as text is a shell line. */
function toShellLine(argv: readonly string[]): string {
  const [shell = '', flag, line = ''] = argv
  const isLine = argv.length === 3 && flag === '-c' && /(?:^|\/)(?:ba|da|z)?sh$/.test(shell)
  return isLine ? line : argv.join(' ')
}

function namedIn(line: string, names: readonly string[]): readonly string[] {
  const words = new Set(line.match(/[\w:.@/*!-]+/g) ?? [])
  const named = names.filter((name) => words.has(name))
  const short = [...words].flatMap((word) => shortNames.get(word) ?? [])
  // `run-s build:*`
  const starred = [...words].filter((word) => word.includes('*') && /[\w:]/.test(word))
  const started = names.filter((name) =>
    starred.some((word) => name.startsWith(word.slice(0, word.indexOf('*')))),
  )
  return [...named, ...short, ...started]
}

/** Whether a text runs scripts itself, such as a test that runs `npm run build`. */
export const startsScripts = (text: string): boolean =>
  /\b(?:npm|pnpm|yarn|bun|npx)\b|node --run/.test(text.slice(0, 1_000_000))
