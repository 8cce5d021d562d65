/**
 * A program of its own, started inside a sandbox in front of a command:
 * `relay.mjs 8080=/run/loopwright/0.sock -- program args…`
 *
 * It listens on the loopback inside and carries each connection to a Unix socket that leads outside.
 * It starts the command when it listens, hands signals on to it, and ends with it and like it. Only
 * this one file is there inside, so it imports nothing but Node.
 */

import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const connectionsMax = 256
const handedOn = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

const args = process.argv.slice(2)
const end = args.indexOf('--')
await Promise.all(args.slice(0, end).map(listen))
run(args.slice(end + 1))

function listen(relay: string): Promise<void> {
  const at = relay.indexOf('=')
  const port = Number(relay.slice(0, at))
  const path = relay.slice(at + 1)
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inner) => {
    const outer = connect({ path, allowHalfOpen: true })
    // What was received is still delivered after the end of the one that sent it.
    inner.on('error', () => outer.destroy()).on('close', () => outer.destroySoon())
    outer.on('error', () => inner.destroy()).on('close', () => inner.destroySoon())
    inner.pipe(outer)
    outer.pipe(inner)
  })
  server.maxConnections = connectionsMax
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

function run([program = '', ...programArgs]: readonly string[]): void {
  let group: number | undefined
  // First: from its first moment on the command may be asked to end.
  for (const signal of handedOn) {
    process.on(signal, () => {
      if (group !== undefined) signalGroup(group, signal)
    })
  }
  // A group of its own, so that a signal comes once: through us.
  const child = spawn(program, programArgs, { stdio: 'inherit', detached: true })
  group = child.pid
  child.on('error', (error: NodeJS.ErrnoException) => {
    const why = error.code === 'EACCES' ? 'Permission denied' : 'No such file or directory'
    process.stderr.write(`loopwright: cannot start ${program}: ${why}\n`)
    process.exit(127)
  })
  // As shells say it; nobody outside could see more.
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
  })
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // It has just ended.
  }
}
