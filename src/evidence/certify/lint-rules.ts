/**
 * Many projects lint before they test (`xo && ava`). A linter refuses planted failures for their style, so no test runs.
 * The rules that it names are disabled in the planted copy, where they do not matter.
 */

/** `6:38  error  Extra semicolon  semi` of ESLint, `a.js:6:38: Extra semicolon. (semi)` of standard. */
const finding = /\d:\d+\b.*[\s(]((?:@[\w-]+\/)?(?:[\w-]+\/)?[a-z][a-z\d-]*)\)?\s*$/
const rulesMax = 100
const lineCharsMax = 1000

/** The rules that the output of a linter names. */
export function findLintRules(output: string): readonly string[] {
  const rules = new Set<string>()
  for (const line of output.split('\n')) {
    const [, rule] = line.length > lineCharsMax ? [] : (finding.exec(line) ?? [])
    if (rule !== undefined && rules.size < rulesMax) rules.add(rule)
  }
  return [...rules]
}

const script = /\.[cm]?[jt]sx?$/
/** Runners read settings from the first comment of a file, so it stays the first. */
const leading = /^(?:#![^\n]*\n)?(?:\s+|\/\/[^\n]*\n|\/\*[^]*?\*\/)*/

/** On the line of the first statement, so that line numbers stay. */
export function disableLintRules(file: string, text: string, rules: readonly string[]): string {
  if (!script.test(file) || rules.length === 0) return text
  const at = leading.exec(text)?.[0].length ?? 0
  return `${text.slice(0, at)}/* eslint-disable ${rules.join(', ')} */ ${text.slice(at)}`
}
