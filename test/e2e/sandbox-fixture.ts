/**
 * A workspace surrounded by everything worth stealing, and a program that tries to. It records what
 * it managed to do, and none of that may exist afterwards.
 */

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Place, place } from './loop-fixture.ts'

export interface AttackedWorkspace extends Place {
  /** The state folder: in the workspace. */
  readonly record: string
  /** In a variable of loopctl, in files around the workspace, in process names. */
  readonly canary: string
  readonly env: Readonly<Record<string, string>>
  /** The command that attacks, as an agent, a tool, a check or a server. */
  attack(who: string): string
  /** What the attacker managed to do; undefined: it was not even started. */
  found(who: string): readonly string[] | undefined
}

/** The loop file and the state folder are in the workspace, where they are hardest to protect. */
export async function createAttackedWorkspace(
  loop: (at: Pick<AttackedWorkspace, 'attack'>) => string,
): Promise<AttackedWorkspace> {
  const canary = `canary${randomBytes(9).toString('hex')}`
  const { work } = place('')
  const folder = join(work, '..')
  const state = join(folder, 'home')
  const record = join(work, 'record')
  const file = join(work, 'loop.yaml')
  const attack = (who: string): string => `node attack.mjs ${who}`
  execFileSync('git', ['init', '-q', work], { env: { PATH: process.env['PATH'], HOME: folder } })
  mkdirSync(record)
  mkdirSync(state)
  for (const path of ['beside.txt', 'home/key.txt', 'work/record/own.txt', 'work/.env']) {
    writeFileSync(join(folder, path), canary)
  }
  writeFileSync(join(work, 'prompt.md'), 'Attack.')
  writeFileSync(file, loop({ attack }))
  const targets = {
    canary,
    folder,
    work,
    port: portOf(await listen(0)),
    sockets: [join(folder, 'host.sock'), `\0${canary}`],
  }
  for (const path of targets.sockets) await listen(path)
  writeFileSync(join(work, 'attack.mjs'), attackProgram(targets))
  return {
    state,
    record,
    work,
    file,
    canary,
    env: { SECRET: canary },
    attack,
    found: (who) => notes(join(work, `found-${who}.json`)),
  }
}

function notes(path: string): readonly string[] | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as readonly string[]
  } catch {
    return undefined
  }
}

function listen(at: number | string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const ready = (): void => resolve(server)
    if (typeof at === 'string') server.listen(at, ready)
    else server.listen(at, '127.0.0.1', ready)
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Processes of this machine with a text in their command line or environment. */
export const processesWith = (word: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    return ['cmdline', 'environ'].some((file) => {
      try {
        return readFileSync(join('/proc', pid, file), 'latin1').includes(word)
      } catch {
        return false
      }
    })
  })

interface Targets {
  readonly canary: string
  readonly folder: string
  readonly work: string
  readonly port: number
  readonly sockets: readonly string[]
}

/** Everything that does not throw has succeeded, and is recorded. */
const attackProgram = (targets: Targets): string => `
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { connect } from 'node:net'
const { canary, folder, work, port, sockets } = ${JSON.stringify(targets)}
const who = process.argv[2]
const found = []
const mustFail = (name, act) => {
  try { if (act() !== false) found.push(name) } catch {}
}
const mustWork = (name, act) => {
  try { act() } catch (error) { found.push(name + ': ' + error.message) }
}
const read = (path) => fs.readFileSync(path, 'latin1').includes(canary)
for (const path of ['beside.txt', 'home/key.txt', 'work/record/own.txt', 'work/.env'])
  mustFail('read ' + path, () => read(folder + '/' + path))
mustFail('list the record', () => fs.readdirSync(work + '/record').length > 0)
mustFail('list what is beside', () => fs.readdirSync(folder).some((name) => name !== 'work'))
mustFail('own environment', () => JSON.stringify(process.env).includes(canary))
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)))
  mustFail('environment of ' + pid, () => read('/proc/' + pid + '/environ'))
// A folder of its own in memory is where that is; nobody else sees it.
try { fs.writeFileSync(folder + '/new.txt', 'x') } catch {}
for (const path of ['/usr', '/etc', '/'])
  mustFail('write in ' + path, () => fs.accessSync(path, fs.constants.W_OK))
for (const path of ['.git/hooks/pre-commit', '.git/config', 'loop.yaml', 'prompt.md', 'record/x', '.env'])
  mustFail('write ' + path, () => fs.writeFileSync(work + '/' + path, 'x'))
for (const path of ['.git', 'loop.yaml', 'record'])
  mustFail('move ' + path, () => fs.renameSync(work + '/' + path, work + '/moved-' + who))
mustFail('remove the loop file', () => fs.rmSync(work + '/loop.yaml'))
mustWork('write in the workspace', () => fs.writeFileSync(work + '/made-by-' + who, 'x'))
mustWork('write in /tmp', () => fs.writeFileSync('/tmp/x', 'x'))
mustWork('read the prompt', () => { if (fs.readFileSync('prompt.md', 'utf8') !== 'Attack.') throw new Error('other') })
const reach = (name, to) => new Promise((resolve) => {
  connect(to, () => { found.push('reach ' + name); resolve() }).on('error', resolve)
  setTimeout(resolve, 3000).unref()
})
await reach('loopback', { port, host: '127.0.0.1' })
await reach('loopback by its other name', { port, host: '::1' })
for (const path of sockets) await reach('socket ' + JSON.stringify(path), { path })
const stay = 'while :; do sleep 1; done # ' + canary
const start = (program, args) => spawn(program, args, { detached: true, stdio: 'ignore' }).unref()
start('setsid', ['sh', '-c', stay])
start('sh', ['-c', '(sh -c "$1" & ) &', 'sh', stay])
start('nohup', ['sh', '-c', 'trap "" HUP TERM INT; ' + stay])
fs.writeFileSync(work + '/found-' + who + '.json', JSON.stringify(found))
process.stderr.write(found.join('\\n'))
process.exit(found.length === 0 ? 0 : 1)
`
