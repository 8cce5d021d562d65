// Several processes that trust loop files at once: nothing is lost.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openTrust } from '../src/definition/loop-file/index.ts'

const built = resolve(import.meta.dirname, '..', 'dist', 'definition', 'loop-file', 'index.js')
const program = `
  const { openTrust } = await import(${JSON.stringify(pathToFileURL(built).href)})
  const [folder, first] = process.argv.slice(1)
  for (let index = Number(first); index < Number(first) + 10; index++) {
    const digest = index.toString(16).padStart(64, '0')
    await openTrust(folder).trust({ digest, file: index + '.yaml' })
  }
`

test('processes that trust loop files at the same time lose nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-trust-'))
  try {
    const ends = [0, 100, 200].map((first) => {
      const args = ['--input-type=module', '-e', program, folder, String(first)]
      return once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
    })
    expect((await Promise.all(ends)).map(([code]: unknown[]) => code)).toEqual([0, 0, 0])
    expect(await openTrust(folder).list()).toHaveLength(30)
    expect(readdirSync(folder)).toEqual(['trust.json'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
