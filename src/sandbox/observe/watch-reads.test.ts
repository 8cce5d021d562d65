import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchReads } from './watch-reads.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-reads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'src/deep'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['a', 'b', 'src/c', 'src/deep/d', 'node_modules/e']) {
    writeFileSync(join(folder, name), name)
  }
  return folder
}

/** The watcher process that this process started. */
function findWatcher(): number {
  const isOurs = (pid: string): boolean => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return command.includes('read-watcher.js') && status.includes(`PPid:\t${process.pid}\n`)
    } catch {
      return false
    }
  }
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isOurs(name)))
}

test.runIf(process.platform === 'linux')('lists each opened file once', async () => {
  const folder = newFolder()
  symlinkSync('src/c', join(folder, 'link'))
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff)]), '')
  const watch = await watchReads(folder, { exclude: ['node_modules'] })
  readFileSync(join(folder, 'a'))
  readFileSync(join(folder, 'a'))
  readFileSync(join(folder, 'link'))
  readFileSync(join(folder, 'node_modules/e'))
  execFileSync('sh', ['-c', 'cat ./* || true'], { cwd: folder, stdio: 'ignore' })
  expect(await watch.stop()).toEqual(['\\xff', 'a', 'b', 'src/c'])
  readFileSync(join(folder, 'src/deep/d'))
  expect(await watch.stop()).not.toContain('src/deep/d')
})

test.runIf(process.platform === 'linux')(
  'reports a renamed folder by its original name; watches do not mix',
  async () => {
    const [one, two] = [newFolder(), newFolder()]
    const watches = [await watchReads(one), await watchReads(two)]
    renameSync(join(one, 'src'), join(one, 'moved'))
    readFileSync(join(one, 'moved/deep/d'))
    readFileSync(join(two, 'b'))
    expect(await Promise.all(watches.map((watch) => watch.stop()))).toEqual([['src/deep/d'], ['b']])
  },
)

test('the result is undefined, not empty, for a folder that cannot be watched', async () => {
  const watch = await watchReads(join(newFolder(), 'missing'))
  expect(await watch.stop()).toBeUndefined()
  expect(watch.problem).toBeDefined()
})

test.runIf(process.platform === 'linux')(
  'the result is undefined after a queue overflow or if the watcher dies',
  async () => {
    const folder = newFolder()
    const [flooded, killed] = [await watchReads(folder), await watchReads(folder)]
    const watcher = findWatcher()
    process.kill(watcher, 'SIGSTOP')
    // Alternate between two files, because the kernel merges identical consecutive events.
    for (let at = 0; at < 10_000; at++) {
      readFileSync(join(folder, 'a'))
      readFileSync(join(folder, 'b'))
    }
    process.kill(watcher, 'SIGCONT')
    expect(await flooded.stop()).toBeUndefined()
    process.kill(watcher, 'SIGKILL')
    expect(await killed.stop()).toBeUndefined()
    const next = await watchReads(folder)
    readFileSync(join(folder, 'b'))
    expect(await next.stop()).toEqual(['b'])
  },
)
