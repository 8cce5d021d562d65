// Restate: its server keeps the journal and calls back into this process; history by replay.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { createEndpointHandler, service } from '@restatedev/restate-sdk'
import { freePort, startServer } from './servers.mjs'
import { here } from './tools.mjs'
import { directoryBytes, expectEqual, packageVersion, prompt, runPeer } from './workload.mjs'

const platform = `restate-server-${process.platform}-${process.arch}`
const binary = join(here, 'node_modules', '@restatedev', platform, 'bin', 'restate-server')
// The log can be kept in either of these stores; the server chooses, so both have to sync.
const fsyncSwitches = ['bifrost.local', 'log-server']

let loop
const loopService = service({
  name: 'loop',
  handlers: {
    run: async (context) => {
      const messages = [prompt]
      loop.start()
      for (let i = 0; i < loop.iterations; i++) {
        const text = await context.run('model', () => loop.model(i, messages))
        const result = await context.run('tool', () => loop.tool(i))
        if (!loop.history) continue
        messages.push({ role: 'assistant', content: text }, { role: 'tool', content: result })
      }
      loop.stop()
      return context.request().id
    },
  },
})

async function start(dir) {
  const data = join(dir, 'server')
  mkdirSync(data)
  const [admin, ingress, node] = [await freePort(), await freePort(), await freePort()]
  const env = {
    ...process.env,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'warn',
    TMPDIR: data, // it leaves a folder per partition behind
  }
  const command = [binary, '--listen-mode', 'tcp', '--base-dir', data, '--no-logo']
  const [program, ...flags] = command
  const config = execFileSync(program, [...flags, '--dump-config'], { env }).toString()

  const handler = createEndpointHandler({ services: [loopService] })
  const endpoint = createServer(handler).listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const uri = `http://127.0.0.1:${endpoint.address().port}`
  const server = await startServer(command, {
    env,
    log: join(dir, 'server.log'),
    ready: () => post(admin, '/deployments', { uri }),
  })
  return {
    ...server,
    config,
    data,
    invoke: () => post(ingress, '/loop/run'),
    query: async (query) => (await post(admin, '/query', { query })).rows,
    stop: async () => {
      await server.stop()
      endpoint.close()
    },
  }
}

async function post(port, path, body) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const request = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, request)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** The setting of one `[section]` of the configuration the server says it runs with. */
function syncsEachWrite(config, section) {
  const body = config.split(`\n[${section}]\n`)[1]?.split('\n[')[0] ?? ''
  return body.includes('rocksdb-disable-wal-fsync = false')
}

async function run(current, { server }) {
  loop = current
  const before = directoryBytes(server.data)
  const id = await server.invoke()
  const steps = await server.query(
    `select count(*) as n from sys_journal where id = '${id}' and entry_type = 'Command: Run'`,
  )
  expectEqual(steps[0].n, 2 * loop.iterations)
  const effective = fsyncSwitches.every((section) => syncsEachWrite(server.config, section))
  return { sync: effective ? 'FULL' : 'NORMAL', storageBytes: directoryBytes(server.data) - before }
}

await runPeer({
  name: 'restate',
  version: '@restatedev/restate-sdk',
  store: () => `restate-server ${packageVersion('@restatedev/restate-server')}`,
  historyKept: 'steps, replayed',
  sync: ['FULL'],
  start,
  run,
})
