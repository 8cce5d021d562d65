import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { collectLayers, findLayer, keepLayer, layersFolder, newLayerFolder } from './layer-store.ts'

const record = mkdtempSync(join(tmpdir(), 'loopwright-layers-'))
const store = layersFolder(record)
const key = 'a'.repeat(64)

afterEach(() => rmSync(record, { recursive: true, force: true }))

async function make(text: string) {
  const path = await newLayerFolder(store)
  mkdirSync(join(path, 'node_modules'))
  writeFileSync(join(path, 'node_modules/a.js'), text)
  const made = { key, path, from: 'installed', summary: 'one', folders: ['node_modules'] } as const
  return keepLayer(store, made)
}

test('a layer is found again as it was, and whoever comes second takes the first', async () => {
  const first = await make('1')
  expect(await findLayer(store, key)).toEqual(first)
  expect(await make('1')).toEqual(first)
  expect(readdirSync(store)).toHaveLength(2)
})

test('one that was changed is gone', async () => {
  const { path } = await make('1')
  writeFileSync(join(path, 'node_modules/a.js'), '2')
  expect(await findLayer(store, key)).toBeUndefined()
  expect(readdirSync(store)).toEqual([])
})

test.each(['{', '', '{"version":1}'])(
  'a record that cannot be read, %j, is replaced',
  async (text) => {
    mkdirSync(store, { recursive: true })
    writeFileSync(join(store, `${key}.json`), text)
    const made = await make('1')
    expect(await findLayer(store, key)).toEqual(made)
  },
)

test('what nobody used for 30 days goes with the garbage, and what somebody did stays', async () => {
  const { path } = await make('1')
  await collectLayers(record, Date.now() + 29 * 86_400_000)
  expect(await findLayer(store, key)).toMatchObject({ path })
  await collectLayers(record, Date.now() + 31 * 86_400_000)
  expect(await findLayer(store, key)).toBeUndefined()
  expect(readdirSync(store)).toEqual([])
})
