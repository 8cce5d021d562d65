/**
 * A separate program that starts a command inside a sandbox:
 * `relay.mjs 8080=/run/loopwright/0.sock -- program args…`
 *
 * It listens on the loopback interface inside and forwards each connection to a Unix socket that leads
 * outside. Once it listens, it starts the command, forwards signals to it, and exits with its exit code. Only
 * this file is visible inside, so it imports nothing but Node.
 */

import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const connectionsMax = 256
const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const

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
    // Deliver what was received even if the sender has closed.
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
  // Before the spawn, because a request to stop can arrive at any time after it.
  for (const signal of forwardedSignals) {
    process.on(signal, () => {
      if (group !== undefined) signalGroup(group, signal)
    })
  }
  // A separate process group, so that the command gets each signal once, from here.
  const child = spawn(program, programArgs, { stdio: 'inherit', detached: true })
  group = child.pid
  child.on('error', (error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EACCES' ? 'Permission denied' : 'No such file or directory'
    process.stderr.write(`loopwright: cannot start ${program}: ${reason}\n`)
    process.exit(127)
  })
  // The exit code that shells use for a signal.
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
  })
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // The group has just ended.
  }
}
