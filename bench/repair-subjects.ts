/**
 * Packages that nobody here wrote and that ship their tests, as npm has them. Those of the first list
 * were looked at while the repair agent was made; those of the second were not, and figures are of them.
 */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)

export interface Subject {
  readonly name: string
  readonly version: string
  /** What its tests need besides, with versions. */
  readonly needs: readonly string[]
  /** What runs its tests, from its folder. */
  readonly check: readonly string[]
}

const mocha = 'mocha@10.8.2'
const tape = 'tape@5.9.0'
const chai = 'chai@4.5.0'
const runMocha = (...args: readonly string[]): readonly string[] => [
  'node',
  'node_modules/mocha/bin/mocha.js',
  ...args,
]
const runTape = (...args: readonly string[]): readonly string[] => [
  'node',
  'node_modules/tape/bin/tape',
  ...args,
]

/** Seen while it was made. */
export const developmentSubjects: readonly Subject[] = [
  { name: 'object-path', version: '0.11.8', needs: [mocha, chai], check: runMocha('test.js') },
  { name: 'ent', version: '2.2.2', needs: [tape], check: runTape('test/*.js') },
  {
    name: 'binary-search-bounds',
    version: '2.0.5',
    needs: [tape, 'guarded-array@1.0.0'],
    check: runTape('test/*.js'),
  },
  { name: 'damerau-levenshtein', version: '1.0.8', needs: [mocha], check: runMocha() },
  { name: 'shunting-yard', version: '2.1.0', needs: [], check: ['node', 'test.js'] },
  {
    name: 'priorityqueuejs',
    version: '2.0.0',
    needs: [mocha, 'expect.js@0.3.1'],
    check: runMocha(),
  },
]

/** Not looked at. */
export const heldOutSubjects: readonly Subject[] = [
  { name: 'json-stable-stringify', version: '1.3.0', needs: [tape], check: runTape('test/*.js') },
  {
    name: 'deep-diff',
    version: '1.0.2',
    needs: [mocha, 'expect.js@0.3.1', 'deep-equal@1.0.1', 'lodash@4.17.21', 'json-ptr@1.1.0'],
    check: runMocha('test/**/*.js'),
  },
  { name: 'base32.js', version: '0.1.0', needs: [mocha], check: runMocha() },
  {
    name: 'traverse',
    version: '0.6.11',
    needs: [tape, 'es-value-fixtures@1.7.1'],
    check: runTape('test/*.js'),
  },
  {
    name: 'luhn',
    version: '2.4.1',
    needs: [mocha, 'should@5.0.1'],
    check: runMocha('tests/luhn-tests.js'),
  },
  {
    name: 'dijkstrajs',
    version: '1.0.3',
    needs: [mocha, 'expect.js@0.3.1'],
    check: runMocha(),
  },
  { name: 'glob-to-regexp', version: '0.4.1', needs: [], check: ['node', 'test.js'] },
  {
    name: 'json-pointer',
    version: '0.6.2',
    needs: [mocha, 'chai@1.10.0', 'seamless-immutable@5.1.1'],
    check: runMocha('test/*.js'),
  },
]

/** Where packages are kept between runs. */
const store = join(tmpdir(), 'loopwright-repair-subjects')

/** The folder of a package with what its tests need, made once. */
export async function installSubject(subject: Subject): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify(subject)).digest('hex').slice(0, 12)
  const place = join(store, `${subject.name}-${key}`)
  if (existsSync(place)) return place
  await mkdir(store, { recursive: true })
  const made = await mkdtemp(join(store, 'making-'))
  try {
    const spec = `${subject.name}@${subject.version}`
    const options = { cwd: made, timeout: 300_000, maxBuffer: 2 ** 26 }
    const { stdout } = await exec('npm', ['pack', '--silent', spec], options)
    const tarball = stdout.trim().split('\n').at(-1) ?? ''
    await exec('tar', ['xzf', tarball], options)
    // Its other tools of development are not needed, and many.
    const file = join(made, 'package', 'package.json')
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    delete manifest['devDependencies']
    await writeFile(file, JSON.stringify(manifest, undefined, 2))
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
    await exec('npm', ['install', ...quiet, '--save-dev', ...subject.needs], {
      ...options,
      cwd: join(made, 'package'),
    })
    await rename(join(made, 'package'), place)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
  return place
}

/** A copy to work in; what is installed is shared. */
export async function copySubject(place: string, to: string): Promise<void> {
  await cp(place, to, { recursive: true, verbatimSymlinks: true })
}
