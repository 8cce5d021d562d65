/**
 * Uses dependency layers as many certifications at once do: finds or makes one, reads all of it while others
 * evict what they can, releases it. Prints what it found wrong. Started, and killed, by layer-store.ts:
 * `node layer-victim.js <state folder> <number of the process>`.
 */

import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { collectLayers } from '#src/launch/dependencies/collect-layers.ts'
import {
  createLayerFolder,
  findLayer,
  layersFolder,
  type StoredLayer,
  storeLayer,
} from '#src/launch/dependencies/layer-store.ts'

const [, , folder = '', number = '0'] = process.argv
const store = layersFolder(folder)
const names = Array.from({ length: 8 }, (_, index) => `f${index}.js`)
/** The first half is the same in all of them. */
const textOf = (variant: number, index: number): string =>
  `${index < names.length / 2 ? 'common' : `of ${variant}`} ${index} `.repeat(500)
const keyOf = (variant: number): string => `${variant}`.repeat(64).slice(0, 64)

async function make(variant: number): Promise<StoredLayer> {
  const path = await createLayerFolder(store)
  mkdirSync(join(path, 'node_modules'))
  for (const [index, name] of names.entries()) {
    writeFileSync(join(path, 'node_modules', name), textOf(variant, index))
  }
  const made = { key: keyOf(variant), path, folders: ['node_modules'] }
  return storeLayer(store, { ...made, from: 'installed', summary: `${variant}` })
}

for (let turn = Number(number); ; turn += 1) {
  const variant = turn % 5
  try {
    const layer = (await findLayer(store, keyOf(variant))) ?? (await make(variant))
    await collectLayers(folder, { now: Date.now(), bytesMax: 1 })
    for (const [index, name] of names.entries()) {
      const text = readFileSync(join(layer.path, 'node_modules', name), 'utf8')
      if (text !== textOf(variant, index))
        throw new Error(`${name} of ${variant} is something else`)
    }
    await layer.release()
    writeSync(1, '.')
  } catch (error) {
    writeSync(1, `\n${String(error)}\n`)
  }
}
