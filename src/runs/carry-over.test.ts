import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openHost } from '../host/open-host.ts'
import { carryOver } from './carry-over.ts'

test('files are copied by the system, not by a program that lies in the way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-carry-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  for (const path of ['bin', 'from/node_modules', 'to'])
    mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'from/node_modules/a.js'), '1')
  writeFileSync(join(bin, 'cp'), `#!/bin/sh\ntouch ${join(folder, 'ran')}\n`)
  chmodSync(join(bin, 'cp'), 0o755)
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH'] ?? ''}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const host = await openHost({ folder: join(folder, 'record') })
  const way = { from: join(folder, 'from'), to: join(folder, 'to'), names: ['node_modules'] }
  expect(await carryOver(host, way)).toEqual([])
  await host.close()
  expect(existsSync(join(folder, 'to/node_modules/a.js'))).toBe(true)
  expect(existsSync(join(folder, 'ran'))).toBe(false)
})
