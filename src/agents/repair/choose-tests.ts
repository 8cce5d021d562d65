/**
 * Which test files a command means, as far as it names any; and which tests the search may look at. The
 * others are held back: it never sees them, so they tell whether what it found holds elsewhere too.
 */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { readSmallFile } from '../../system/index.ts'
import type { FoundFile } from './find-files.ts'
import type { SurveyedTest } from './survey.ts'

/** Scripts of package.json are read, but only one level of them. */
export async function namedTests(
  root: string,
  checks: readonly (readonly string[])[],
  tests: readonly FoundFile[],
): Promise<readonly FoundFile[]> {
  const scripts = await readScripts(root)
  const words = checks.flatMap((check) => wordsOf(check, scripts))
  const named = tests.filter(({ path }) => words.some((word) => means(word, path)))
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

function wordsOf(
  check: readonly string[],
  scripts: Readonly<Record<string, unknown>>,
  depth = 0,
): readonly string[] {
  const [program, flag, text] = check
  if (program === '/bin/sh' && flag === '-c' && text !== undefined && depth < 3) {
    return wordsOfText(text, scripts, depth)
  }
  const name = scriptName(check)
  const script = name === undefined || depth > 2 ? undefined : scripts[name]
  // The name of a script is no name of a file.
  if (typeof script !== 'string') return name === undefined ? check.map(plainPath) : []
  return wordsOfText(script, scripts, depth)
}

const wordsOfText = (
  text: string,
  scripts: Readonly<Record<string, unknown>>,
  depth: number,
): readonly string[] =>
  text.split(/&&|\|\||;/).flatMap((part) => wordsOf(part.trim().split(/\s+/), scripts, depth + 1))

function scriptName([program, first, second]: readonly string[]): string | undefined {
  if (program === undefined || !/^(npm|yarn|pnpm)$/.test(program)) return undefined
  if (first === 'run' || first === 'run-script') return second
  return first === 't' || first === 'tst' ? 'test' : first
}

const plainPath = (word: string): string => word.replaceAll(/['"]/g, '').replace(/^\.\//, '')

function means(word: string, path: string): boolean {
  if (word === '' || word.startsWith('-') || !/[\w*]/.test(word)) return false
  const folder = word.replace(/\/$/, '')
  if (path === word || path.startsWith(`${folder}/`)) return true
  return /[*?{]/.test(word) && word.length < 200 && picomatch(word)(path)
}

export interface ChosenTests {
  readonly failing: readonly SurveyedTest[]
  readonly visible: readonly SurveyedTest[]
  readonly heldBack: readonly SurveyedTest[]
  /** A few quick ones that fail. */
  readonly first: readonly SurveyedTest[]
}

const firstMax = 3

/** Which ones is decided by their names and the seed, so the next iteration holds the same ones back. */
export function chooseTests(
  tests: readonly SurveyedTest[],
  { seed, heldBackShare }: { readonly seed: number; readonly heldBackShare: number },
): ChosenTests {
  const failing = tests.filter(({ ok }) => !ok)
  const passing = tests.filter(({ ok }) => ok)
  const held = new Set([
    ...drawn(
      failing,
      seed,
      Math.min(failing.length - 1, Math.round(failing.length * heldBackShare)),
    ),
    ...drawn(passing, seed, Math.round(passing.length * heldBackShare)),
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

function drawn(
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
 * A test that fails here and that the command's own output does not name may fail for our way of running
 * it: it is left out as long as others are named.
 */
export function namedByCommand(
  tests: readonly SurveyedTest[],
  output: string,
): { readonly tests: readonly SurveyedTest[]; readonly leftOut: number } {
  const title = (id: string): string =>
    (id.split(' > ').at(-1) ?? id).replace(/ (#\d+|\[\d+\])$/, '')
  const isNamed = ({ ok, id }: SurveyedTest): boolean => ok || output.includes(title(id))
  const failing = tests.filter(({ ok }) => !ok)
  if (!failing.some(isNamed)) return { tests, leftOut: 0 }
  const kept = tests.filter(isNamed)
  return { tests: kept, leftOut: tests.length - kept.length }
}
