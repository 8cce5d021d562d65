/**
 * The store of dependency layers: what 30 variants of a lockfile take up, and processes that use and evict
 * layers at once and are killed with -9 at any moment. No layer is ever used that is not whole, and nothing is
 * left that the next collection does not remove.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectLayers } from '#src/launch/dependencies/collect-layers.ts'
import {
  createLayerFolder,
  layersFolder,
  storeLayer,
} from '#src/launch/dependencies/layer-store.ts'
import { atLeast, atMost, type Result, type Suite } from '../bench/report.ts'

const program = join(import.meta.dirname, 'layer-victim.js')
const variants = 30
const packages = 40
const kills = 100
const atOnce = 3

export const layerStore: Suite = {
  area: 'host',
  title: 'dependency layers share files, and survive kills',
  share: 0.1,
  async run({ scale, note }) {
    const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
    try {
      return [
        ...(await shared(join(folder, 'sizes'))),
        ...(await killed(join(folder, 'kills'), Math.max(10, Math.round(kills * scale)), note)),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Each variant has one package in another version. */
async function shared(folder: string): Promise<readonly Result[]> {
  const store = layersFolder(folder)
  let oneBytes = 0
  for (let variant = 0; variant < variants; variant += 1) {
    const path = await createLayerFolder(store)
    for (let name = 0; name < packages; name += 1) {
      const version = name === variant % packages ? variant : 0
      const inside = join(path, 'node_modules', `p${name}`)
      mkdirSync(inside, { recursive: true })
      for (let file = 0; file < 10; file += 1) {
        writeFileSync(join(inside, `f${file}.js`), `${name} ${version} ${file} `.repeat(2000))
      }
    }
    const key = `${variant}`.padStart(64, '0')
    const made = { key, path, folders: ['node_modules'], summary: 'npm' }
    await (await storeLayer(store, { ...made, from: 'installed' })).release()
    if (variant === 0) oneBytes = (await collectLayers(folder, { now: Date.now() })).keptBytes
  }
  const { kept, keptBytes } = await collectLayers(folder, { now: Date.now() })
  const detail = `${kept} layers of ${mebibytes(oneBytes)} MiB take ${mebibytes(keptBytes)} MiB`
  const half = await collectLayers(folder, { now: Date.now(), bytesMax: keptBytes / 2 })
  return [
    atMost('host.layers-size', keptBytes / oneBytes, 3, 'x', detail),
    atMost('host.layers-over-limit', half.keptBytes / (keptBytes / 2), 1, 'x'),
  ]
}

const mebibytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)

async function killed(
  folder: string,
  count: number,
  note: (text: string) => void,
): Promise<readonly Result[]> {
  let turns = 0
  const wrong: string[] = []
  const victims = Array.from({ length: atOnce }, async (_, worker) => {
    for (let kill = worker; kill < count; kill += atOnce) {
      const printed = await runVictim(folder, kill)
      turns += printed.split('.').length - 1
      wrong.push(...printed.split('\n').filter((line) => /[^.]/.test(line)))
    }
  })
  await Promise.all(victims)
  await collectLayers(folder, { now: Date.now(), bytesMax: 0 })
  const store = layersFolder(folder)
  const left = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(objects(\/..)?|leases)$/.test(name) && !name.endsWith('.new'),
  )
  for (const line of [...new Set([...wrong, ...left])].slice(0, 10)) note(`  ${line}`)
  const detail = `${count} kills, ${turns} layers used`
  return [
    atMost('host.layers-broken', wrong.length, 0, 'layers', detail),
    atMost('host.layers-left', left.length, 0, 'files', detail),
    atLeast('host.layers-used', turns, count, 'layers'),
  ]
}

/** What it printed until it was killed. */
async function runVictim(folder: string, kill: number): Promise<string> {
  const child = spawn(process.execPath, [program, folder, `${kill}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let printed = ''
  const started = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      resolve()
    })
  })
  await Promise.race([started, closed])
  // Spread over the time that a few turns take.
  await sleep((kill * 37) % 150)
  child.kill('SIGKILL')
  await closed
  return printed
}
