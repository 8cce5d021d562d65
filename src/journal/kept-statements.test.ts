// File handles and locks belong to the process, so most of these tests use real ones.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './database.ts'

const built = resolve(import.meta.dirname, '../../dist/journal/index.js')

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-statements-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function runChild(code: string, ...flags: string[]): Promise<string> {
  const head = `
    import { readdirSync, statSync } from 'node:fs'
    const { openStore } = await import(${JSON.stringify(built)})
    const folder = ${JSON.stringify(folder)}
    const handles = () => readdirSync('/proc/self/fd').length
    const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
    async function openAndClose(name) {
      const journal = openStore({ path: folder + '/' + name + '.db' })
      await journal.listRuns()
      await journal.close()
      await turn()
    }`
  const args = [...flags, '--input-type=module', '--eval', `${head}\n${code}`]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

test('a statement is prepared once, and useless after its connection is closed', () => {
  const database = openDatabase(':memory:', 'NORMAL')
  const statement = database.prepare('SELECT 1 AS one')
  expect(database.prepare('SELECT 1 AS one')).toBe(statement)
  expect(statement.get()).toEqual({ one: 1 })
  database.close()
  database.close()
  expect(() => statement.get()).toThrow('database is not open')
  expect(() => database.prepare('SELECT 1 AS one')).toThrow('database is not open')
})

test('the files of closed journals are released when their statements are collected', async () => {
  const code = `
    await openAndClose('first')
    gc(); await turn(); gc(); await turn()
    const before = handles()
    for (let count = 0; count < 20; count++) await openAndClose('journal-' + count)
    gc(); await turn(); gc(); await turn()
    console.log(handles() - before)`
  expect(Number(await runChild(code, '--expose-gc'))).toBeLessThanOrEqual(3)
})

test('a program that opens and closes many journals keeps a bounded number of files open', async () => {
  const code = `
    let most = 0
    for (let count = 0; count < 300; count++) {
      await openAndClose('journal-' + (count % 10))
      most = Math.max(most, handles())
    }
    console.log(most)`
  expect(Number(await runChild(code))).toBeLessThan(250)
})

test('a journal opens in a worker thread, private to its owner', async () => {
  const code = `
    const { Worker } = await import('node:worker_threads')
    process.umask(0)
    const work = 'import(' + ${JSON.stringify(JSON.stringify(built))} + ').then(async (journal) => {' +
      'const open = journal.openStore({ path: ' + JSON.stringify(folder + '/worker.db') + ' });' +
      'await open.listRuns();' +
      'setInterval(() => undefined, 1000);' +
      'require("node:worker_threads").parentPort.postMessage("open") })'
    const worker = new Worker(work, { eval: true, execArgv: [] })
    await new Promise((resolve, reject) => { worker.once('message', resolve); worker.once('error', reject) })
    const modes = readdirSync(folder).map((name) => (statSync(folder + '/' + name).mode & 0o777).toString(8))
    console.log(modes.join(' '))
    await worker.terminate()`
  expect(await runChild(code)).toBe('600 600 600')
})

test.skipIf(process.platform !== 'linux')(
  'S2: a second connection in a process does not release the locks of the first',
  () => {
    const path = join(folder, 'journal.db')
    const locks = (): number =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter(
          (line) => line.includes(`${process.pid} `) && line.includes(`:${statSync(path).ino} `),
        ).length
    const first = openDatabase(path, 'NORMAL')
    first.exec('CREATE TABLE a (b)')
    const before = locks()
    const second = openDatabase(path, 'NORMAL')
    expect(before).toBeGreaterThan(0)
    expect(locks()).toBe(before)
    first.close()
    second.close()
  },
)
