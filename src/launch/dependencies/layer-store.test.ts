import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { defined } from '../../loop/index.ts'
import { type CollectedLayers, collectLayers } from './collect-layers.ts'
import { leasesFolder } from './layer-leases.ts'
import {
  createLayerFolder,
  findLayer,
  layersFolder,
  type StoredLayer,
  storeLayer,
} from './layer-store.ts'

const dayMs = 86_400_000
let stateFolder: string
let store: string
beforeEach(() => {
  stateFolder = mkdtempSync(join(tmpdir(), 'loopwright-layers-'))
  store = layersFolder(stateFolder)
})
afterEach(() => rmSync(stateFolder, { recursive: true, force: true }))

const keyOf = (letter: string): string => letter.repeat(64)
const large = 'x'.repeat(100_000)

/** A layer with these files in `node_modules`. */
async function make(
  files: Readonly<Record<string, string>> = { 'a.js': '1' },
  letter = 'a',
): Promise<StoredLayer> {
  const path = await createLayerFolder(store)
  mkdirSync(join(path, 'node_modules'))
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(path, 'node_modules', name), text)
  }
  const key = keyOf(letter)
  return storeLayer(store, {
    key,
    path,
    from: 'installed',
    summary: 'one',
    folders: ['node_modules'],
  })
}

const find = (letter = 'a'): Promise<StoredLayer | undefined> => findLayer(store, keyOf(letter))
const collect = (bytesMax?: number, now = Date.now()): Promise<CollectedLayers> =>
  collectLayers(stateFolder, { now, ...defined({ bytesMax }) })
const layersIn = (): readonly string[] =>
  readdirSync(store).filter((name) => /^[0-9a-f-]{36}$/.test(name))
const objectsIn = (): readonly string[] =>
  readdirSync(join(store, 'objects')).flatMap((name) => readdirSync(join(store, 'objects', name)))
const inodeOf = ({ path }: StoredLayer, name: string): number =>
  lstatSync(join(path, 'node_modules', name)).ino
/** Pretends that the layer was last used then. */
function setUsedAt(letter: string, atMs: number): void {
  utimesSync(join(store, `${keyOf(letter)}.json`), atMs / 1000, atMs / 1000)
}

test('a stored layer is found again, and a second process that creates it gets the first one', async () => {
  const first = await make()
  const { path, digest } = first
  expect(await find()).toMatchObject({ path, digest, isNew: false })
  expect(await make()).toMatchObject({ path, digest, isNew: false })
  expect(layersIn()).toHaveLength(1)
})

test('layers share only files with the same content and mode', async () => {
  const one = await make({ 'a.js': 'same', 'b.js': 'one', 'twin.js': 'same', 'empty.js': '' })
  const two = await make({ 'a.js': 'same', 'b.js': 'two', 'm.py': 'p', 'empty.js': '' }, 'b')
  expect(inodeOf(one, 'a.js')).toBe(inodeOf(two, 'a.js'))
  expect(inodeOf(one, 'a.js')).toBe(inodeOf(one, 'twin.js'))
  expect(inodeOf(one, 'b.js')).not.toBe(inodeOf(two, 'b.js'))
  expect(inodeOf(one, 'empty.js')).not.toBe(inodeOf(two, 'empty.js'))
  expect(objectsIn()).toHaveLength(4)
  // Their times have changed, so their bytes are compared, and are the same.
  expect(await find('a')).toMatchObject({ path: one.path })
  expect(await find('b')).toMatchObject({ path: two.path })
  await two.release()
})

test('a shared file is a copy, without the extended attributes of the file that the install wrote', async () => {
  const path = await createLayerFolder(store)
  const file = join(path, 'node_modules/a.js')
  mkdirSync(join(path, 'node_modules'))
  writeFileSync(file, 'text')
  chmodSync(file, 0o755)
  utimesSync(file, 1_000_000_000, 1_000_000_000)
  const before = lstatSync(file)
  await storeLayer(store, {
    key: keyOf('a'),
    path,
    from: 'installed',
    summary: 'one',
    folders: ['node_modules'],
  })
  const { ino, mode, mtimeMs, nlink } = lstatSync(file)
  expect(ino).not.toBe(before.ino)
  expect({ mode, mtimeMs, nlink }).toEqual({ mode: before.mode, mtimeMs: before.mtimeMs, nlink: 2 })
})

test('a layer that was changed is not used again, nor are its files', async () => {
  const damaged = await make({ 'a.js': 'good' })
  await damaged.release()
  writeFileSync(join(damaged.path, 'node_modules/a.js'), 'evil')
  expect(await find()).toBeUndefined()
  const again = await make({ 'a.js': 'good' })
  expect(readFileSync(join(again.path, 'node_modules/a.js'), 'utf8')).toBe('good')
  await collect()
  expect(existsSync(damaged.path)).toBe(false)
  expect(await find()).toMatchObject({ path: again.path })
})

test.each(['{', '', '{"version":1}'])('an unreadable record %j is replaced', async (text) => {
  mkdirSync(store, { recursive: true })
  writeFileSync(join(store, `${keyOf('a')}.json`), text)
  const made = await make()
  expect(await find()).toMatchObject({ path: made.path })
})

test('a layer that was not used for 30 days is removed', async () => {
  await (await make()).release()
  expect(await collect(undefined, Date.now() + 29 * dayMs)).toMatchObject({ removed: 0, kept: 1 })
  const { removed, kept, keptBytes } = await collect(undefined, Date.now() + 31 * dayMs)
  expect({ removed, kept, keptBytes }).toEqual({ removed: 1, kept: 0, keptBytes: 0 })
  expect(layersIn()).toEqual([])
  expect(objectsIn()).toEqual([])
})

test('above the limit, the least recently used layers and their unshared files are removed first', async () => {
  for (const letter of ['a', 'b', 'c']) {
    await (await make({ 'common.js': large, 'own.js': `${large}${letter}` }, letter)).release()
    setUsedAt(letter, Date.now() - dayMs)
  }
  setUsedAt('b', Date.now() - 3 * dayMs)
  const all = await collect()
  // Three unshared files and one shared file.
  expect(all.keptBytes).toBeGreaterThan(4 * large.length)
  expect(all.keptBytes).toBeLessThan(5 * large.length)
  const collected = await collect(all.keptBytes - 1)
  expect(collected).toMatchObject({ removed: 1, kept: 2 })
  expect(collected.freedBytes).toBeGreaterThan(large.length)
  expect(collected.freedBytes + collected.keptBytes).toBe(all.keptBytes)
  expect(await find('b')).toBeUndefined()
  const remaining = await find('a')
  expect(readFileSync(join(remaining?.path ?? '', 'node_modules/common.js'), 'utf8')).toBe(large)
})

test('a layer in use stays, whatever its size and age', async () => {
  const used = await make({ 'a.js': large })
  expect(await collect(1, Date.now() + 20 * dayMs)).toMatchObject({ removed: 0, kept: 1 })
  const again = await find()
  await used.release()
  expect(await collect(1)).toMatchObject({ removed: 0, kept: 1 })
  await again?.release()
  expect(await collect(1)).toMatchObject({ removed: 1, kept: 0 })
})

test('the folder of a killed process is removed, and that of a live process is not', async () => {
  const made = await createLayerFolder(store)
  const killed = await createLayerFolder(store)
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  await new Promise((spawned) => other.once('spawn', spawned))
  const lease = readdirSync(leasesFolder(store)).find((name) => killed.endsWith(name.slice(0, 36)))
  const leasePath = join(leasesFolder(store), lease ?? '')
  const stat = readFileSync(`/proc/${other.pid}/stat`, 'utf8')
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  const [host, namespace] = readFileSync(leasePath, 'utf8').split('|')
  writeFileSync(leasePath, [host, namespace, other.pid, started, 'x'].join('|'))
  await collect()
  expect([existsSync(made), existsSync(killed)]).toEqual([true, true])
  other.kill('SIGKILL')
  await new Promise((closed) => other.once('close', closed))
  await collect()
  expect([existsSync(made), existsSync(killed)]).toEqual([true, false])
})

test('concurrent creates, finds and collections never yield an incomplete layer', async () => {
  const letters = ['a', 'b', 'c']
  const work = async (turn: number): Promise<void> => {
    const letter = letters[turn % 3] ?? ''
    const files = { 'common.js': large, 'own.js': `${letter}${large}` }
    const layer = (await find(letter)) ?? (await make(files, letter))
    for (let look = 0; look < 2; look += 1) {
      await collect(1)
      const read = (name: string) => readFileSync(join(layer.path, 'node_modules', name), 'utf8')
      expect(read('common.js') === large && read('own.js') === files['own.js']).toBe(true)
    }
    await layer.release()
  }
  await Promise.all(Array.from({ length: 9 }, (_, turn) => work(turn)))
  expect(await collect(1)).toMatchObject({ kept: 0, keptBytes: 0 })
  expect(layersIn()).toEqual([])
  expect(objectsIn()).toEqual([])
  expect(readdirSync(leasesFolder(store))).toEqual([])
})
