import { expect, test } from 'vitest'
import { parseManifest } from '../../../protocol/index.ts'
import { argumentsOf, type FoundFiles, resolveCases } from './resolve-cases.ts'

const manifestOf = (more: object = {}) => {
  const parsed = parseManifest(
    JSON.stringify({
      workloadId: 'w',
      artifactPaths: ['a'],
      casePaths: ['cases/*'],
      runCommand: 'run {case}',
      outputPath: './out//{name}.json',
      evaluateCommand: 'judge {output}',
      ...more,
    }),
  )
  if (parsed.type === 'valid') return parsed.manifest
  throw new Error(parsed.problems.join())
}

const file = (path: string) => ({ path, bytes: 1, digest: `digest of ${path}` })

const foundOf = (paths: readonly string[], more: Partial<FoundFiles> = {}): FoundFiles => ({
  cases: paths.map(file),
  excluded: [],
  expected: [],
  focus: [],
  guards: [],
  ...more,
})

const resolve = (manifest: object, found: FoundFiles, folder = '') => {
  const resolved = resolveCases(manifestOf(manifest), folder, found)
  if (resolved.type === 'cases') return resolved
  throw new Error(resolved.problems.join('\n'))
}

test('a case has its paths, and hostile names are just names', () => {
  const [one, other] = resolve(
    {},
    foundOf(['sub/cases/a.b.txt', 'sub/cases/$(x).txt']),
    'sub',
  ).cases
  expect(one).toEqual({
    id: 'cases/a.b.txt',
    label: '1-a.b',
    name: 'a.b',
    path: 'sub/cases/a.b.txt',
    output: 'sub/out/a.b.json',
  })
  expect(other).toMatchObject({ label: '2--x-', output: 'sub/out/$(x).json' })
  if (other === undefined) throw new Error('missing')
  expect(argumentsOf('sub', other)).toEqual({
    case: 'cases/$(x).txt',
    name: '$(x)',
    output: 'out/$(x).json',
  })
})

test('expected outputs are found by their path, or by the name up to the first dot', () => {
  const expected = { expected: [file('e/a.json'), file('e/b.x.json')] }
  const named = resolve({ expectedPaths: ['e/{name}.json'] }, foundOf(['cases/a.txt'], expected))
  expect(named.cases[0]?.expected).toEqual({ path: 'e/a.json', digest: 'digest of e/a.json' })
  const stem = resolve({ expectedPaths: ['e/*'] }, foundOf(['cases/b.in.txt'], expected))
  expect(stem.cases[0]?.expected?.path).toBe('e/b.x.json')
})

test.each<[string, object, FoundFiles, string]>([
  ['no case', {}, foundOf([]), 'no file matches cases/*'],
  [
    'an expected output that is missing',
    { evaluateCommand: 'judge {output} {expected}', expectedPaths: ['e/*'] },
    foundOf(['cases/a', 'cases/b']),
    'no expected output for cases/a, cases/b',
  ],
  [
    'two of them',
    { expectedPaths: ['e/*'] },
    foundOf(['cases/a'], { expected: [file('e/a.1'), file('e/a.2')] }),
    'several expected outputs for cases/a; use a path with {name}',
  ],
  [
    'too many cases',
    {},
    foundOf(Array.from({ length: 5001 }, (_, at) => `cases/${at}`)),
    '5000 is the limit',
  ],
])('%s is a problem', (_what, manifest, found, problem) => {
  expect(() => resolve(manifest, found)).toThrow(problem)
})

test('an expected output is optional where nothing reads it', () => {
  expect(resolve({ expectedPaths: ['e/*'] }, foundOf(['cases/a'])).cases[0]).not.toHaveProperty(
    'expected',
  )
})

test('the holdout is drawn by chance, the same each time, and never from named cases', () => {
  const paths = Array.from({ length: 80 }, (_, at) => `cases/${String(at).padStart(2, '0')}`)
  const found = foundOf(paths, { focus: paths.slice(0, 4), guards: paths.slice(4, 6) })
  const { split } = resolve({}, found)
  expect(split.holdout).toHaveLength(24)
  expect(split.suite).toHaveLength(56)
  expect(split.holdout.filter((id) => [...split.focus, ...split.guards].includes(id))).toEqual([])
  expect(resolve({}, found).split).toEqual(split)
  expect(resolve({ split: { seed: 'other' } }, found).split.holdout).not.toEqual(split.holdout)
  expect(resolve({}, foundOf(paths.slice(0, 66))).split.holdout).toEqual([])
  expect(
    resolve({ split: { holdout: 0.5 } }, foundOf(paths.slice(0, 10))).split.holdout,
  ).toHaveLength(5)
})

test('cases that are left out are named with the reason', () => {
  const excluded = [{ path: 'cases/b', reason: 'broken' }]
  const { cases, split } = resolve({}, foundOf(['cases/a', 'cases/b'], { excluded }))
  expect(cases.map(({ id }) => id)).toEqual(['cases/a'])
  expect(split.excluded).toEqual([{ id: 'cases/b', reason: 'broken' }])
})
