/**
 * Whether a command changes files while it claims to check them, as linters do with `--fix`. Such a command
 * cannot be a condition: it would fix what it should report, in a copy that is discarded.
 */

/** The command of a script by its name; undefined: there is none. */
export type Scripts = (name: string) => string | undefined

/** `--fix-dry-run` and `--no-fix` write nothing. */
const writingOption =
  /(?:^|\s)--(?:fix|fix-type|fix-only|fix-suggestions|fix-dangerously|write|write-changes|apply|apply-unsafe|autofix|in-place)(?=\s|$|=(?!false))/
const writingCommand = [
  /\bprettier\b[^&|;]*\s-w(?=\s|$)/,
  /\b(?:gofmt|goimports)\b[^&|;]*\s-w(?=\s|$)/,
  /\b(?:lint-staged|pretty-quick)\b/,
]
/** Formatters that write unless an option prevents it. */
const writesUnless = [
  { command: /\bblack\b/, option: /--check|--diff/ },
  { command: /\bisort\b/, option: /--check|--diff|\s-c\b/ },
  { command: /\bruff\s+format\b/, option: /--check|--diff/ },
  { command: /\bcargo\s+fmt\b/, option: /--check/ },
  { command: /\b(?:dprint|deno|buf)\s+(?:fmt|format)\b/, option: /--check|\s-d\b|--diff/ },
]
/** Commands that run other scripts by name. */
const runner = /(?:^|[\s&|;(])(?:npm|pnpm|yarn|bun|run-s|run-p|npm-run-all2?|wireit)(?=\s)/
const scriptsMax = 50

export function writesFiles(command: string, scripts: Scripts = () => undefined): boolean {
  const seen = new Set<string>()
  const queue = [command]
  for (const line of queue) {
    if (changesFiles(line)) return true
    if (!runner.test(line)) continue
    for (const name of line.match(/[\w:.@/-]+/g) ?? []) {
      const inner = seen.has(name) || seen.size >= scriptsMax ? undefined : scripts(name)
      seen.add(name)
      if (inner !== undefined) queue.push(inner)
    }
  }
  return false
}

/** Package managers also run scripts named `pre…` and `post…`. */
export const scriptWritesFiles = (name: string, scripts: Scripts): boolean =>
  [`pre${name}`, name, `post${name}`].some((one) => {
    const line = scripts(one)
    return line !== undefined && writesFiles(line, scripts)
  })

const changesFiles = (line: string): boolean =>
  writingOption.test(line) ||
  writingCommand.some((pattern) => pattern.test(line)) ||
  line
    .split(/&&|\|\||[;|]/)
    .some((part) =>
      writesUnless.some(({ command, option }) => command.test(part) && !option.test(part)),
    )
