/**
 * How test runners, compilers and linters print failures. To support another one, add a row and a
 * recorded output under test/outputs/.
 *
 * Lines are plain text and no longer than the collector allows.
 */

export interface RunnerOutput {
  readonly runner: string
  /** Only this runner prints such a line. */
  readonly sign: RegExp
  /** The first line of a failure: a test's name, a diagnostic. */
  readonly failure: RegExp
  /** Details of a failure: the assertion, expected and actual, file and line. */
  readonly detail: RegExp
  /** The first line that no longer belongs to a failure; the next failure and a summary end it too. */
  readonly end?: RegExp
  /** The summary. */
  readonly summary: RegExp
  /** Lines before a failure's first line belong to it, back to the last one that matches. */
  readonly since?: RegExp
}

const frame = String.raw`^\s+at .*:\d+`
const thrown = String.raw`^\s*(?:Uncaught )?[\w.]*(?:Error|Exception)\b`

export const runnerOutputs: readonly RunnerOutput[] = [
  {
    runner: 'node:test',
    sign: /^ℹ (?:tests|pass|fail) \d/,
    failure: /^\s*✖ (?!failing tests:)/,
    detail: new RegExp(`${thrown}|${frame}|^\\s+(?:actual|expected): |^test at `),
    end: /^\s*[✔▶ℹ] |^✖ failing tests:/,
    summary: /^ℹ (?:tests|pass|fail|cancelled) \d/,
    since: /^test at /,
  },
  {
    runner: 'TAP',
    sign: /^TAP version \d|^\s*(?:not )?ok \d+\b/,
    failure: /^\s*not ok \d+(?!.*# (?:todo|skip))/i,
    detail: /^\s+(?:error|message|expected|actual|wanted|found|location|at|diff): |^\s+[-+]/,
    end: /^\s*(?:\.\.\.$|ok \d|1\.\.\d|# Subtest)/,
    summary: /^# (?:tests|pass|fail|cancelled) +\d|^Bail out!/,
  },
  {
    runner: 'vitest',
    sign: /^ +Test Files {2}|^⎯+ Failed (?:Tests|Suites) |^⎯+ Unhandled /,
    failure: /^ +FAIL {2}\S|^\s+× /,
    detail: new RegExp(`${thrown}|^[-+] |^ ❯ .*:\\d+:\\d+`),
    end: /^⎯{5}|^\s*✓ /,
    summary: /^ +(?:Test Files|Tests|Type Errors|Errors) {2}/,
  },
  {
    runner: 'jest',
    sign: /^Test Suites: \d|^Tests: +\d/,
    failure: /^ {2}● (?!Console)/,
    detail: new RegExp(
      `${thrown}|${frame}|^\\s+(?:Expected|Received|expect\\(|thrown:)|^\\s+[-+] |^\\s+> \\d+ \\|`,
    ),
    end: /^(?:PASS|FAIL) |^Summary of all failing tests/,
    summary: /^(?:Test Suites|Tests|Snapshots): /,
  },
  {
    runner: 'mocha',
    sign: /^ {2}\d+ (?:passing|failing)\b/,
    failure: /^ {2,}\d+\) /,
    detail: new RegExp(`${thrown}|${frame}|^ {6}[-+]|^ {7}\\S.*:$`),
    end: /^\s+[✔✓] /,
    summary: /^ {2}\d+ (?:passing|failing|pending)\b/,
  },
  {
    runner: 'ava',
    sign: /^ {2}[✔✘] |^ {2}\d+ (?:tests?|uncaught exceptions?) failed/,
    failure: /^ {2}✘ |^ {2}\S+\.\w+:\d+$|^ {2}Error thrown in test:$/,
    detail: new RegExp(`${thrown}|${frame}|^ {2}(?:Difference|Value|[-+]|›)`),
    end: /^ {2}─$|^ {2}✔ /,
    summary:
      /^ {2}\d+ (?:tests?|uncaught|known|unhandled)\b.*(?:failed|passed|exceptions?|rejections?)/,
    since: /^/,
  },
  {
    runner: 'pytest',
    sign: /^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$/,
    failure: /^_{3,} .* _{3,}$/,
    detail: /^E |^> |^\S+:\d+: /,
    end: /^={5}|^-{5}/,
    summary: /^(?:FAILED|ERROR) \S|^=+ .*\b(?:passed|failed|errors?)\b.* =+$|^ERROR: /,
  },
  {
    runner: 'unittest',
    sign: /^Ran \d+ tests? in |^FAILED \((?:failures|errors)=/,
    failure: /^(?:FAIL|ERROR): /,
    detail: new RegExp(`${thrown}|^ {2}File ".*", line \\d|^[-+?] `),
    end: /^={5}/,
    summary: /^Ran \d+ tests? in |^FAILED \(/,
  },
  {
    runner: 'go',
    sign: /^(?:--- FAIL: |=== RUN |FAIL\t|ok {2}\t)/,
    failure: /^\s*--- FAIL: |^panic: |^\S+\.go:\d+:\d+: /,
    detail: /^\s+\S+\.go:\d+\b|^panic: |^\s+(?:Error Trace|Error|expected|actual|got|want)\s*:/,
    end: /^\s*(?:=== |--- (?:PASS|SKIP)|FAIL|ok {2}\t)/,
    summary: /^FAIL\t|^# \S+ \[|^exit status \d/,
    since: /^\s*(?:=== |--- )/,
  },
  {
    runner: 'cargo',
    sign: /^test result: |^error\[E\d+\]: |^ +Compiling \S+ v\d/,
    failure: /^---- .* ----$|^error(?:\[E\d+\])?: (?!could not compile|test failed|aborting)/,
    detail: /panicked at |^assertion |^ +(?:left|right): |^ *--> |^error|^\d* *\| *\^/,
    end: /^failures:$|^warning: |^For more information about/,
    summary: /^test result: |^error: (?:could not compile|test failed)/,
  },
  {
    runner: 'tsc',
    sign: /\berror TS\d+: /,
    failure: /\berror TS\d+: /,
    detail: /\berror TS\d+: |^ {2}\S/,
    summary: /^Found \d+ errors?\b/,
  },
  {
    runner: 'eslint',
    sign: /^✖ \d+ problems? \(/,
    failure: /^(?:\/|[A-Za-z]:\\).*\.\w+$/,
    detail: /^ +\d+:\d+ +error /,
    summary: /^✖ \d+ problems? \(/,
  },
  {
    runner: 'biome',
    sign: /^\S+ .*━{5}$/,
    failure: /^(?!check ━)\S+ .*━{5}$/,
    detail: /^ {2}✖ |^ {2}> +\d+ │/,
    summary: /^Found \d+ |^Checked \d+ files/,
  },
]

/** Used when no runner is recognized. */
const complaints =
  /\b(?:errors?|fail(?:ed|ures?|s)?|exception|traceback|panic(?:ked)?|fatal|assert\w*|cannot|not found|denied|segmentation fault|undefined reference)\b|Error\b|[✖✗✘×]/i

export const generic: RunnerOutput = {
  runner: 'unknown',
  sign: /^/,
  failure: complaints,
  detail: /\b(?:expected|actual|received|got|want(?:ed)?|caused by)\b|:\d+(?::\d+)?\b/i,
  summary: /(?!)/,
}

/** Stack frames outside the project, passed tests, and separator lines. */
export const noise: RegExp = new RegExp(
  [
    String.raw`^\s+at .*(?:node_modules|node:|\(native\))`,
    String.raw`^\s+(?:async )?\S+ \(?node:`,
    String.raw`^\s+(?:at )?/(?:rustc|usr/lib|root/\.cargo|home/[^/]+/\.cargo)/`,
    String.raw`^\s+\d+: (?:core|std|alloc|test|__rustc|<)`,
    String.raw`^\s*[✔✓] |^\s*ok \d|^--- PASS|^test .* \.\.\. ok$`,
    String.raw`^\s*[-=_─━⎯*]{5,}\s*$|^\s*$`,
    String.raw`npm (?:warn|notice) |^\s*duration_ms: `,
  ].join('|'),
)

/** A cheap filter: lines without any of these neither start nor end a failure. */
const mayBeFailure =
  /fail|err|not ok|panic|exception|traceback|assert|fatal|cannot|found|denied|fault|undefined|[✖✗✘×●ℹ❯━_]|\d\) |\w: {2}|Tests|Test |test |: |Suites|passing|passed|\.go:\d|bail/i

export const isKnownFailure = (text: string): boolean =>
  mayBeFailure.test(text) &&
  runnerOutputs.some(({ failure, summary }) => failure.test(text) || summary.test(text))

export const isPossibleFailure = (text: string): boolean =>
  mayBeFailure.test(text) && complaints.test(text)
