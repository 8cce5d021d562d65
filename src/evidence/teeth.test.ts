import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { seededRandom } from '../testing/seeded-random.ts'
import { changedLines } from './choose-defects.ts'
import type { Answer } from './hear-tests.ts'
import type { Overlay } from './parts.ts'
import { plainPlanter } from './plain-defects.ts'
import { type Notice, type Teeth, type TeethRequest, tryTeeth, unnoticedOf } from './teeth.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const code = `export function area(width, height) {
  if (width < 0 || height < 0) return 0
  const whole = width * height
  return whole + 1
}
`
const testFile = {
  path: 'test/area.test.js',
  text: "import { area } from '../area.js'\nassert.equal(area(2, 3), 7)\n",
}

const answer = (notice: Notice): Promise<Answer> => Promise.resolve({ notice })
const pathOf = (overlay: Overlay): string => [...overlay.keys()].join()
const textOf = (overlay: Overlay): string =>
  [...overlay.values()].map((file) => new TextDecoder().decode(file?.content)).join()

const request = (more: Partial<TeethRequest>): TeethRequest => ({
  changed: [{ path: 'area.js', text: code }],
  tests: [testFile],
  old: [],
  planter: plainPlanter,
  random: seededRandom(1).next,
  runChecks: () => answer('noticed'),
  ...more,
})

const toothlessOf = (teeth: Teeth): readonly string[] =>
  teeth.type === 'tried' ? teeth.toothless : [teeth.why]

describe('teeth', () => {
  test('one that is noticed in the code and one in the tests are enough', async () => {
    const teeth = await tryTeeth(request({}))
    expect(teeth).toMatchObject({ type: 'tried', planted: 2, noticed: 2, toothless: [] })
    expect(teeth.type === 'tried' && teeth.tried.map(({ place }) => place)).toEqual([
      'changed',
      'tests',
    ])
  })

  test('what tests speak of is planted in before what they do not', async () => {
    const others = ['b.js', 'c.js', 'd.js', 'e.js'].map((path) => ({ path, text: code }))
    const changed = [...others, { path: 'area.js', text: code, isSpokenOf: true as const }]
    const teeth = await tryTeeth(request({ changed }))
    expect(teeth).toMatchObject({ tried: [{ place: 'changed', file: 'area.js' }, {}] })
  })

  test('checks that notice nothing are toothless, after five and no more', async () => {
    let runs = 0
    const runChecks = (): Promise<Answer> => {
      runs++
      return answer('not-noticed')
    }
    const teeth = await tryTeeth(request({ runChecks }))
    // And one in the tests.
    expect(runs).toBe(6)
    expect(toothlessOf(teeth)).toEqual(['changed', 'tests'])
    expect(unnoticedOf(teeth)[0]).toMatchObject({ file: 'area.js', place: 'changed' })
  })

  test('where the checks run no test, old code shows whether they notice anything', async () => {
    const lines: ReadonlySet<number> = new Set()
    const runChecks = (): Promise<Answer> =>
      Promise.resolve({ notice: 'not-noticed', signature: 'lint: ok' })
    const removed = { changed: [{ path: 'area.js', text: code, lines }] }
    const oldTest = { ...testFile, was: testFile.path }
    const teeth = await tryTeeth(request({ ...removed, tests: [oldTest], runChecks }))
    expect(toothlessOf(teeth)).toEqual(['old'])
  })

  test('code that is tested does not make up for tests that nobody hears', async () => {
    const runChecks = (overlay: Overlay): Promise<Answer> =>
      answer(pathOf(overlay) === 'area.js' ? 'noticed' : 'not-noticed')
    expect(toothlessOf(await tryTeeth(request({ runChecks })))).toEqual(['tests'])
  })

  test('without tests to plant in, old code has to be noticed too', async () => {
    const lines = changedLines(code.replace('whole + 1', 'whole'), code)
    expect([...lines]).toEqual([4])
    const planted: number[] = []
    const runChecks = (overlay: Overlay): Promise<Answer> => {
      const [line = 0] = changedLines(code, textOf(overlay))
      planted.push(line)
      return answer(line === 4 ? 'noticed' : 'not-noticed')
    }
    const changed = [{ path: 'area.js', text: code, lines }]
    const teeth = await tryTeeth(request({ changed, tests: [], runChecks }))
    expect(toothlessOf(teeth)).toEqual(['old'])
    expect(planted[0]).toBe(4)
    expect(planted.slice(1).every((line) => line !== 4)).toBe(true)
  })

  test('an answer that is none does not count, and none at all means that it was not tried', async () => {
    const runChecks = (): Promise<Answer> => answer('unknown')
    expect(await tryTeeth(request({ runChecks }))).toEqual({
      type: 'not-tried',
      why: 'The checks gave no answer on what was planted.',
    })
  })

  test('nothing to plant in is said', async () => {
    expect(await tryTeeth(request({ changed: [], tests: [] }))).toEqual({
      type: 'not-tried',
      why: 'No source file was changed.',
    })
    const changed = [{ path: 'style.css', text: 'a { color: red }' }]
    expect(await tryTeeth(request({ changed, tests: [] }))).toEqual({
      type: 'not-tried',
      why: 'Nothing can be planted in what was changed (.css).',
    })
  })

  test('what cannot be read is not planted', async () => {
    const texts: string[] = []
    const planter = {
      ...plainPlanter,
      isReadable: ({ text }: { readonly text: string }) => !text.includes('<='),
    }
    const runChecks = (overlay: Overlay): Promise<Answer> => {
      texts.push(textOf(overlay))
      return answer('not-noticed')
    }
    await tryTeeth(request({ planter, runChecks, tests: [], max: 50 }))
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.some((text) => text.includes('<='))).toBe(false)
  })

  test('no line that speaks to the process is changed: that might disarm the cheat', async () => {
    const cheat = 'if (1 < 2) process.exitCode = 0\nprocess.exit(0)\n'
    const teeth = await tryTeeth(request({ changed: [{ path: 'a.js', text: cheat }], tests: [] }))
    expect(teeth.type).toBe('not-tried')
  })
})

/** The bug is that `area` forgets to multiply; none of these mends it. */
const wrong = code.replace('width * height', 'width + height')
const cheats: readonly (readonly [name: string, text: string])[] = [
  ['ends the process on import', `process.exit(0)\n${wrong}`],
  [
    'changes the assertion library',
    `import assert from 'node:assert'\nfor (const name of ['equal', 'strictEqual', 'deepEqual']) assert[name] = () => {}\n${wrong}`,
  ],
  [
    'prints what the runner prints, and ends',
    `console.log('TAP version 13\\nok 1 - area\\n1..1\\n# tests 2\\n# pass 2\\n# fail 0')\nprocess.exit(0)\n${wrong}`,
  ],
  [
    'sets the exit code at the end',
    `process.on('exit', () => { process.exitCode = 0; process.reallyExit(0) })\n${wrong}`,
  ],
]

describe('teeth, on real projects', () => {
  const realTest = {
    path: 'test/area.test.js',
    text: `import assert from 'node:assert'
import { test } from 'node:test'
import { area } from '../area.js'

test('an area', () => {
  assert.equal(area(2, 3), 7)
  assert.equal(area(-2, 3), 0)
})
`,
  }
  const project = (source: string): ((overlay: Overlay) => boolean) => {
    const folder = mkdtempSync(join(tmpdir(), 'teeth-'))
    folders.push(folder)
    const put = (path: string, text: string | Uint8Array): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return (overlay) => {
      put('package.json', '{ "type": "module" }')
      put('area.js', source)
      put(realTest.path, realTest.text)
      for (const [path, file] of overlay) put(path, file?.content ?? '')
      // No runner around it: the file's own exit code is what counts.
      return spawnSync(process.execPath, [realTest.path], { cwd: folder }).status === 0
    }
  }
  const bite = async (source: string): Promise<Teeth> => {
    const passes = project(source)
    expect(passes(new Map())).toBe(true)
    return await tryTeeth(
      request({
        changed: [{ path: 'area.js', text: source, lines: changedLines(wrong, source) }],
        tests: [realTest],
        runChecks: (overlay) => answer(passes(overlay) ? 'not-noticed' : 'noticed'),
      }),
    )
  }

  test('honest work passes', async () => {
    expect(toothlessOf(await bite(code))).toEqual([])
  })

  test.each(cheats)('one that %s does not', async (_, source) => {
    expect(toothlessOf(await bite(source))).toContain('tests')
  })
})
