/**
 * What a run of suites has finished, kept in `build/` until it is complete, so that an interrupted run
 * can be resumed. It counts only for the same code and options.
 */

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Result } from './report.ts'

export interface SuiteEnd {
  readonly name: string
  readonly seconds: number
  readonly results: readonly Result[]
  /** It threw: a resumed run tries it again. */
  readonly isBroken?: boolean
}

export interface Progress {
  /** For the user, before the first suite. */
  readonly hint: string | undefined
  find(name: string): SuiteEnd | undefined
  add(end: SuiteEnd): void
  /** Of a suite that did not end: what one of its parts gave. */
  part<T>(name: string, make: () => Promise<T>): Promise<T>
  /** All suites were run: there is nothing to resume. */
  close(): void
}

interface Saved {
  readonly key: string
  readonly ends: readonly SuiteEnd[]
  readonly parts: Readonly<Record<string, unknown>>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export function openProgress(
  command: string,
  options: object,
  resume: boolean,
  folder: string = join(root, 'build'),
): Progress {
  const file = join(folder, `${command}-progress.json`)
  const key = `${digestOfCode()} ${JSON.stringify(options)}`
  const saved = readSaved(file)
  const fitting = saved?.key === key ? saved : undefined
  const ends: SuiteEnd[] = resume ? [...(fitting?.ends ?? [])] : []
  const parts: Record<string, unknown> = resume ? { ...fitting?.parts } : {}
  const save = (): void => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify({ key, ends, parts } satisfies Saved))
    renameSync(`${file}.new`, file)
  }
  return {
    hint: resume ? resumeHint(saved, fitting) : startHint(fitting),
    find: (name) => ends.find((end) => end.name === name),
    add(end) {
      ends.push(end)
      save()
    },
    async part<T>(name: string, make: () => Promise<T>) {
      if (!Object.hasOwn(parts, name)) {
        parts[name] = await make()
        save()
      }
      return parts[name] as T
    },
    close: () => rmSync(file, { force: true }),
  }
}

function resumeHint(saved: Saved | undefined, fitting: Saved | undefined): string | undefined {
  if (fitting !== undefined) return undefined
  return saved === undefined
    ? 'Nothing to resume; starting from the beginning.'
    : 'The code or the options changed since the interrupted run; starting from the beginning.'
}

const startHint = (fitting: Saved | undefined): string | undefined =>
  fitting === undefined
    ? undefined
    : `An interrupted run finished ${finished(fitting)}; pass --resume to continue it.`

function finished({ ends, parts }: Saved): string {
  const count = Object.keys(parts).length
  return `${ends.length} suites${count === 0 ? '' : ` and ${count} parts of one`}`
}

function readSaved(file: string): Saved | undefined {
  if (!existsSync(file)) return undefined
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<Saved>
    const { key, ends, parts = {} } = saved
    return typeof key === 'string' && Array.isArray(ends) ? { key, ends, parts } : undefined
  } catch {
    return undefined // half written
  }
}

const folders = ['src', 'test', 'proof', 'bench', 'examples', 'scripts', 'schemas']
const files = ['package.json', 'package-lock.json', 'vitest.config.ts', 'tsconfig.base.json']

/** Digest of all that a result depends on. */
function digestOfCode(): string {
  const hash = createHash('sha256').update(`${process.version}\0`)
  for (const path of [...files, ...folders.flatMap(filesIn)]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !path.includes('node_modules/'))
    .toSorted()
}
