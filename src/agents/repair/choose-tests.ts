/**
 * Determines the test files that a command names, if any, and which tests the search may see. The
 * others are held back: the search never sees them, so they show whether an edit it found holds in
 * general.
 */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { readSmallFile } from '../../system/index.ts'
import type { ProjectFile } from './find-files.ts'
import type { SurveyedTest } from './survey.ts'

/** Scripts in package.json are resolved, but only one level deep. */
export async function findNamedTests(
  root: string,
  checks: readonly (readonly string[])[],
  tests: readonly ProjectFile[],
): Promise<readonly ProjectFile[]> {
  const scripts = await readScripts(root)
  const words = checks.flatMap((check) => splitCommand(check, scripts))
  const named = tests.filter(({ path }) => words.some((word) => matchesPath(word, path)))
  return named.length > 0 ? named : tests
}

const manifestBytesMax = 512 * 1024

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

async function readScripts(root: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const file: unknown = JSON.parse(
      await readSmallFile(join(root, 'package.json'), manifestBytesMax),
    )
    if (!isObject(file) || !isObject(file['scripts'])) return {}
    return file['scripts']
  } catch {
    return {}
  }
}

function splitCommand(
  check: readonly string[],
  scripts: Readonly<Record<string, unknown>>,
  depth = 0,
): readonly string[] {
  const [program, flag, text] = check
  if (program === '/bin/sh' && flag === '-c' && text !== undefined && depth < 3) {
    return splitScript(text, scripts, depth)
  }
  const name = scriptName(check)
  const script = name === undefined || depth > 2 ? undefined : scripts[name]
  // The name of a script is not a file name.
  if (typeof script !== 'string') return name === undefined ? check.map(toPlainPath) : []
  return splitScript(script, scripts, depth)
}

const splitScript = (
  text: string,
  scripts: Readonly<Record<string, unknown>>,
  depth: number,
): readonly string[] =>
  text
    .split(/&&|\|\||;/)
    .flatMap((part) => splitCommand(part.trim().split(/\s+/), scripts, depth + 1))

function scriptName([program, first, second]: readonly string[]): string | undefined {
  if (program === undefined || !/^(npm|yarn|pnpm)$/.test(program)) return undefined
  if (first === 'run' || first === 'run-script') return second
  return first === 't' || first === 'tst' ? 'test' : first
}

const toPlainPath = (word: string): string => word.replaceAll(/['"]/g, '').replace(/^\.\//, '')

function matchesPath(word: string, path: string): boolean {
  if (word === '' || word.startsWith('-') || !/[\w*]/.test(word)) return false
  const folder = word.replace(/\/$/, '')
  if (path === word || path.startsWith(`${folder}/`)) return true
  return /[*?{]/.test(word) && word.length < 200 && picomatch(word)(path)
}

export interface ChosenTests {
  readonly failing: readonly SurveyedTest[]
  readonly visible: readonly SurveyedTest[]
  readonly heldBack: readonly SurveyedTest[]
  /** A few fast failing ones. */
  readonly first: readonly SurveyedTest[]
}

const firstMax = 3

/** Decided by name and seed, so the next iteration holds back the same ones. */
export function chooseTests(
  tests: readonly SurveyedTest[],
  { seed, heldBackShare }: { readonly seed: number; readonly heldBackShare: number },
): ChosenTests {
  const failing = tests.filter(({ ok }) => !ok)
  const passing = tests.filter(({ ok }) => ok)
  const held = new Set([
    ...drawTests(
      failing,
      seed,
      Math.min(failing.length - 1, Math.round(failing.length * heldBackShare)),
    ),
    ...drawTests(passing, seed, Math.round(passing.length * heldBackShare)),
  ])
  const visible = tests
    .filter((one) => !held.has(one))
    .toSorted((a, b) => Number(a.ok) - Number(b.ok))
  const first = visible
    .filter(({ ok }) => !ok)
    .toSorted((a, b) => a.ms - b.ms)
    .slice(0, firstMax)
  return { failing, visible, heldBack: tests.filter((one) => held.has(one)), first }
}

function drawTests(
  tests: readonly SurveyedTest[],
  seed: number,
  count: number,
): readonly SurveyedTest[] {
  const draw = (id: string): string => createHash('sha256').update(`${seed}\0${id}`).digest('hex')
  return tests
    .map((one) => ({ one, key: draw(one.id) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, Math.max(0, count))
    .map(({ one }) => one)
}

/**
 * A test that fails here but does not occur in the command's own output may fail only because of
 * how it is run here: it is left out as long as others do occur.
 */
export function keepReportedTests(
  tests: readonly SurveyedTest[],
  output: string,
): { readonly tests: readonly SurveyedTest[]; readonly leftOut: number } {
  const title = (id: string): string =>
    (id.split(' > ').at(-1) ?? id).replace(/ (#\d+|\[\d+\])$/, '')
  const isNamed = ({ ok, id }: SurveyedTest): boolean => ok || output.includes(title(id))
  const failing = tests.filter(({ ok }) => !ok)
  if (!failing.some(isNamed)) return { tests, leftOut: 0 }
  const remaining = tests.filter(isNamed)
  return { tests: remaining, leftOut: tests.length - remaining.length }
}
