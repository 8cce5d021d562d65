// Starts the server a peer needs, for the time of one run, on loopback only.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}

/**
 * `ready` is tried until it stops throwing. The kernel ends the server with this process, so a
 * killed benchmark leaves nothing running.
 */
export async function startServer(command, { user, log, signal = 'SIGTERM', ready, ...options }) {
  const identity = user ? ['--reuid', user, '--regid', user, '--clear-groups'] : []
  const wrapped = ['--pdeathsig', signal.slice(3), ...identity, '--', ...command]
  const output = openSync(log, 'a')
  const child = spawn('setpriv', wrapped, { stdio: ['ignore', output, output], ...options })
  closeSync(output)
  const exit = once(child, 'exit')
  const failed = exit.then(([code]) => {
    throw new Error(`${command[0]} ended with ${code}`)
  })
  failed.catch(() => {})
  const stop = async () => {
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await exit.finally(() => clearTimeout(late))
  }
  try {
    await Promise.race([failed, poll(ready, Date.now() + 60_000)])
  } catch (error) {
    if (child.exitCode === null) await stop()
    console.error(readFileSync(log, 'utf8').slice(-4000))
    throw error
  }
  return { pid: child.pid, stop }
}

async function poll(ready, deadline) {
  for (;;) {
    try {
      return await ready()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}
