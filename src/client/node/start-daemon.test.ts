import { execFileSync } from 'node:child_process'
import {
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterStory } from '../../../test/after.ts'
import { clientOf } from './find-daemon.ts'
import { startDaemon } from './start-daemon.ts'

test.each(['/proc/nobody/state', '/dev/null/state'])(
  'a state folder that cannot exist at %s is refused, and does not hang',
  async (folder) => {
    await expect(startDaemon({ folder })).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('--state') as string,
    })
  },
)

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-start-'))
  afterStory(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('starting a daemon does not write through links or pipes in its folder', async () => {
  const victim = join(newFolder(), 'victim')
  writeFileSync(victim, 'x'.repeat(2 * 1024 * 1024))
  for (const put of [
    (at: string) => symlinkSync(victim, at),
    (at: string) => linkSync(victim, at),
    (at: string) => execFileSync('mkfifo', [at]),
  ]) {
    const folder = newFolder()
    mkdirSync(join(folder, 'daemon'), { mode: 0o700 })
    put(join(folder, 'daemon', 'loopd.out'))
    await expect(startDaemon({ folder })).rejects.toMatchObject({ code: 'store-failed' })
  }
  const [folder, elsewhere] = [newFolder(), newFolder()]
  symlinkSync(elsewhere, join(folder, 'daemon'))
  await expect(startDaemon({ folder })).rejects.toMatchObject({ code: 'store-failed' })
  expect(readdirSync(elsewhere)).toEqual([])
  expect(readFileSync(victim)).toHaveLength(2 * 1024 * 1024)
})

test.runIf(process.getuid?.() === 0)('does not write to the folder of another user', async () => {
  const folder = newFolder()
  const daemon = join(folder, 'daemon')
  mkdirSync(daemon)
  chownSync(daemon, 65_534, 65_534)
  await expect(startDaemon({ folder })).rejects.toThrow('it belongs to another user')
  expect(readdirSync(daemon)).toEqual([])
})

test('does not block on a named pipe in place of daemon.json', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'daemon'))
  execFileSync('mkfifo', [join(folder, 'daemon', 'daemon.json')])
  expect(clientOf(folder)).toBeUndefined()
})
