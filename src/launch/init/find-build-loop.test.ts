import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { specSlug } from '../../loop/index.ts'
import { findBuildLoop } from './find-build-loop.ts'

let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'loopwright-find-loop-')))
  mkdirSync(join(root, '.git'))
  write('specs/shop.md', '# Shop')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = 'loop: build\n'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const found = () => {
  const { file, rule } = findBuildLoop(join(root, 'specs/shop.md'))
  return [file?.slice(root.length + 1), rule]
}

describe('the loop of a spec', () => {
  test('is the built-in one if there is no loop file of type build', () => {
    write('loops/fix.yaml', 'agent: repair\n')
    write('specs/notes.yaml', 'loop: plain # loop: build\n')
    const [file, rule] = found()
    expect(file).toBeUndefined()
    expect(rule).toMatch(/^the built-in build loop, because/)
  })

  test('is the only one in loops/, else the only one beside it, first the one with its name', () => {
    write('loops/all.yaml')
    expect(found()).toEqual(['loops/all.yaml', 'loops/all.yaml, the only build loop in loops/'])
    write('specs/other.yaml', "name: x\nloop: 'build'  # ours\n")
    expect(found()).toEqual([
      'specs/other.yaml',
      'specs/other.yaml, the only build loop beside the spec',
    ])
    write('specs/shop.yaml')
    expect(found()).toEqual(['specs/shop.yaml', 'specs/shop.yaml, beside the spec, with its name'])
  })

  test('is never guessed among several', () => {
    write('loops/one.yaml')
    write('loops/two.yaml')
    expect(found).toThrow(
      /several build loops in loops\/: loops\/one\.yaml, loops\/two\.yaml\. Choose/,
    )
  })
})

test.each([
  ['specs/Shop cart.md', 'shop-cart'],
  ['a/2026_plan.v2.md', '2026-plan-v2'],
  ['a/日本.md', 'spec'],
  [`${'x'.repeat(100)}.md`, 'x'.repeat(60)],
])('%s is named %s', (spec, slug) => {
  expect(specSlug(spec)).toBe(slug)
})
