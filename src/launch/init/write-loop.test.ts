import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { initFile, writeInitLoop } from './write-loop.ts'

test.each(['outside', 'nowhere'])('does not write through a link in the folder: %s', async (to) => {
  const top = mkdtempSync(join(tmpdir(), 'init-'))
  const [folder, state] = [join(top, 'project'), join(top, 'state')]
  for (const name of ['project', 'state', 'outside']) mkdirSync(join(top, name))
  symlinkSync(join(top, to), join(folder, 'loops'))
  const draft = { agent: 'claude', checks: { test: 'true' }, task: 'Fix it.' }
  const file = initFile(folder, undefined)
  await expect(writeInitLoop(draft, { file, folder, state })).rejects.toThrow('symbolic link')
  expect(readdirSync(join(top, 'outside'))).toEqual([])
  expect(readdirSync(top).toSorted()).toEqual(['outside', 'project', 'state'])
})
