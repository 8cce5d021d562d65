import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { demoNames } from './copy-demo.ts'

const root = resolve(import.meta.dirname, '../../..')

test('every demo is part of the package, so that it runs without a clone', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[]
  }
  expect(files).toEqual(expect.arrayContaining(demoNames.map((name) => `examples/${name}`)))
  for (const name of demoNames) {
    expect(readFileSync(join(root, 'examples', name, 'loop.yaml'), 'utf8')).toContain('agent')
  }
})
