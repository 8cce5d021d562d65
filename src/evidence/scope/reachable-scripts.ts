/**
 * Which scripts of package.json the checks can start: those that a command names, what those name in turn,
 * and the scripts that npm runs around them. Rather too many than too few.
 */

const charsMax = 20_000

/** npm runs them while it installs. */
const hooks = new Set('preinstall install postinstall prepare preprepare postprepare'.split(' '))
const shortNames: ReadonlyMap<string, string> = new Map([
  ['t', 'test'],
  ['tst', 'test'],
])

/** What starts scripts by names that the line does not say. */
const opaque =
  /(?:^|[\s;&|(/])(?:g?make|just|task|sh|bash|zsh|dash|turbo|nx|lerna|rush|lage|wireit|moon|bazel|tox|nox|invoke|rake|gradlew?|mvnw?)(?=$|[\s;&|)])|\.(?:sh|bash)\b|\$\(|`|\beval\b/

/** Undefined: any script may be started. */
export function reachableScripts(
  commands: readonly (readonly string[])[],
  scripts: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> | undefined {
  const names = [...scripts.keys()]
  const reached = new Set(names.filter((name) => hooks.has(name)))
  const lines = commands.map(lineOf)
  for (const name of reached) lines.push(...(scripts.get(name) ?? []))
  // A list that grows while it is walked.
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

/** A command that was written as text is a line of a shell. */
function lineOf(argv: readonly string[]): string {
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

/** Whether a text starts scripts itself: a test that runs `npm run build`. */
export const startsScripts = (text: string): boolean =>
  /\b(?:npm|pnpm|yarn|bun|npx)\b|node --run/.test(text.slice(0, 1_000_000))
