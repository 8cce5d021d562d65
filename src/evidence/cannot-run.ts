/**
 * Distinguishes a check that could not run from one that ran and failed: a program that is not installed, a
 * missing package, no network. Such a check has no result, and changing the files would not help.
 *
 * Tests can print the same text, so it counts only if no test passed. Accepts any text, never throws, and runs
 * in linear time.
 */

import { plainLines } from './plain-lines.ts'

export interface Ended {
  readonly exitCode: number
  readonly output: string
}

interface Rule {
  /** Only with these exit codes; absent: any. */
  readonly exitCodes?: readonly number[]
  readonly line: RegExp
  /** Another line that the tool prints with it, where programs of the project could print the same. */
  readonly beside?: RegExp
  /** What to do; `$1` is the first group of the line. */
  readonly fix: string
}

const install =
  'Install the dependencies of the project, or choose where checks get them: --dependencies install, resolve or carry.'
const network =
  'Checks have no network by default. Install what it downloads beforehand, or allow the host with sandbox.network in the loop file.'

/** The first match wins. A module name that starts with `.` or `/` is a file of the project. */
const rules: readonly Rule[] = [
  {
    exitCodes: [127],
    line: /(?:^|[\s:])([\w@./+-]{1,80}): (?:command )?not found$/,
    fix: `"$1" is not installed, or not on the PATH of the check, or misspelled. ${install}`,
  },
  {
    exitCodes: [127],
    line: /not found|No such file or directory/,
    fix: `Correct the command, or install the program. ${install}`,
  },
  {
    exitCodes: [126],
    line: /Permission denied|cannot execute|Exec format error/i,
    fix: 'Make the program executable (git update-index --chmod=+x), or run it with its interpreter.',
  },
  {
    line: /^Unknown command: "([^"]{1,80})"/,
    beside: /^To see a list of supported npm commands/,
    fix: 'npm has no command "$1". Correct the check.',
  },
  {
    line: /^error: no such (?:sub)?command: `([^`]{1,80})`/,
    fix: 'cargo has no command "$1". Correct the check, or install the command.',
  },
  {
    exitCodes: [2],
    line: /^go ([\w-]{1,80}): unknown command$/,
    fix: 'go has no command "$1". Correct the check.',
  },
  {
    exitCodes: [2],
    line: /^make: \*\*\* No rule to make target [`']([^']{1,80})'\.\s{1,4}Stop\.$/,
    fix: 'The makefile has no target "$1". Add it, or change the check.',
  },
  {
    line: /Usage Error: Couldn't find a script named "([^"]{1,80})"/,
    fix: `package.json has no script "$1", and no package provides it. ${install}`,
  },
  {
    line: /^npm (?:ERR!|error) Missing script: "([^"]{1,80})"/,
    fix: 'package.json has no script "$1". Add it, or change the check.',
  },
  {
    line: /^error: Script not found "([^"]{1,80})"/,
    fix: 'package.json has no script "$1". Add it, or change the check.',
  },
  {
    line: /ERR_PNPM_NO_SCRIPT.{0,40}Missing script: (\S{1,80})/,
    fix: 'package.json has no script "$1". Add it, or change the check.',
  },
  {
    line: /^(?:error|.{0,10}ERR_PNPM_\w{1,60}) {1,4}Command "([^"]{1,80})" not found/,
    fix: `package.json has no script "$1", and no package provides it. ${install}`,
  },
  {
    line: /npx canceled due to missing packages.{0,40}"((?:@[\w.-]{1,80}\/)?[\w.-]{1,80})/,
    fix: `"$1" is not installed. ${install}`,
  },
  {
    line: /Cannot find (?:package|module) '((?:@[\w.-]{1,80}\/)?[a-zA-Z_][\w.-]{0,80})(?:\/[^']{0,200})?'/,
    fix: `The package "$1" is not installed. ${install}`,
  },
  {
    line: /Could not find (?:the )?node_modules state file|node_modules state file - running an install/i,
    fix: install,
  },
  {
    line: /^(?:\S{0,200}python[\d.]{0,6}|\/\S{1,200}): No module named '?([\w.]{1,80})'?$/,
    fix: `Python has no module "$1". ${install}`,
  },
  {
    line: /ModuleNotFoundError: No module named '(pytest|_pytest|tox|nox|hypothesis|setuptools|pytest_\w{1,40})'/,
    fix: `Python has no module "$1". ${install}`,
  },
  {
    exitCodes: [4],
    line: /error: unrecognized arguments: (--?[\w-]{1,60})/,
    fix: `pytest does not know $1; a plugin is missing. ${install}`,
  },
  {
    line: /no required module provides package (\S{1,200});|missing go\.sum entry for module providing package (\S{1,200})/,
    fix: 'Run "go mod tidy" and commit go.mod and go.sum.',
  },
  {
    line: /^error: (?:no matching package named `([\w-]{1,80})` found|failed to get `([\w-]{1,80})` as a dependency)/,
    fix: `A crate is missing. ${install}`,
  },
  {
    line: /the lock file .{0,300} needs to be updated but --(?:locked|frozen) was passed/,
    fix: 'Run "cargo update --workspace" and commit Cargo.lock.',
  },
  { line: /getaddrinfo (?:EAI_AGAIN|ENOTFOUND)/, fix: network },
  {
    line: /\b(?:EAI_AGAIN|ENETUNREACH)\b|getaddrinfo ENOTFOUND|Could not resolve host|Temporary failure in name resolution|network is unreachable|dial tcp: lookup|Failed to establish a new connection/i,
    fix: network,
  },
  {
    line: /\bEROFS\b|Read-only file system/,
    fix: 'The check writes to a folder that is read-only in the sandbox. Have it write in the working directory or $TMPDIR.',
  },
]

/** A line in which a runner reports a passed test. */
const passedLine =
  /^\s{0,8}(?:[✓✔√]|ok \d{1,9}\b|PASS(?:ED)?\b|--- PASS:)|^(?:# pass|ℹ pass) [1-9]|\b[1-9]\d{0,8} (?:passed|passing|passes)\b|\bTests:\s.{0,80}[1-9]\d{0,8} passed|^ok\s+\S{1,200}\s+(?:\d|\(cached\))/

/** Why the check could not run, and what to do; undefined: it ran. */
export function cannotRun({ exitCode, output }: Ended): string | undefined {
  if (exitCode === 0) return undefined
  const lines = plainLines(output)
  if (lines.some((line) => passedLine.test(line))) return undefined
  const broken = brokenInstall(lines)
  if (broken !== undefined) return broken
  for (const { exitCodes, line, beside, fix } of rules) {
    if (exitCodes?.includes(exitCode) === false) continue
    if (beside !== undefined && !lines.some((text) => beside.test(text))) continue
    for (const text of lines) {
      const found = line.exec(text)
      if (found === null) continue
      return `${text.trim()}. ${fix.replaceAll('$1', found[1] ?? found[2] ?? '')}`
    }
  }
  return exitCode === 127
    ? `The shell did not find a program (exit code 127). ${install}`
    : undefined
}

/** An installed package imports a missing module, which the work cannot fix. */
function brokenInstall(lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => line.startsWith("ModuleNotFoundError: No module named '"))
  const frames = lines.slice(0, Math.max(0, at)).filter((line) => /^ {2}File "/.test(line))
  const [, name = ''] = /named '([^']{1,80})'/.exec(lines[at] ?? '') ?? []
  return /[/\\](?:site|dist)-packages[/\\]/.test(frames.at(-1) ?? '')
    ? `${lines[at]}. An installed package needs "${name}". ${install}`
    : undefined
}
