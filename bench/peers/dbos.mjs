// DBOS on a private PostgreSQL cluster: results are steps, the history is rebuilt by replay.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Client } from 'pg'
import { freePort, startServer } from './servers.mjs'
import { postgresBin } from './tools.mjs'
import { expectEqual, prompt, runPeer } from './workload.mjs'

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

async function start(dir) {
  const bin = postgresBin()
  if (!bin) throw new Error('PostgreSQL is not installed')
  const data = join(dir, 'cluster')
  const passwordFile = join(dir, 'password')
  const password = randomBytes(16).toString('hex')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  // PostgreSQL refuses to run as root.
  const user = process.getuid() === 0 ? 'postgres' : undefined
  const asUser = user ? ['--reuid', user, '--regid', user, '--clear-groups', '--'] : ['--']
  if (user) {
    const id = (flag) => Number(execFileSync('id', [flag, user]))
    chmodSync(dir, 0o711) // so that it can reach its own directory in here
    for (const path of [data, passwordFile]) chownSync(path, id('-u'), id('-g'))
  }
  const initdb = [join(bin, 'initdb'), '-D', data, '-U', 'bench', '--pwfile', passwordFile]
  const flags = ['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C']
  execFileSync('setpriv', [...asUser, ...initdb, ...flags], { stdio: 'pipe', cwd: '/' })
  rmSync(passwordFile)

  const port = await freePort()
  const settings = { ...durable, listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const connect = async (database) => {
    const client = new Client({ host: '127.0.0.1', port, user: 'bench', password, database })
    await client.connect()
    return client
  }
  const server = await startServer(
    [
      join(bin, 'postgres'),
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // Interrupt is PostgreSQL's fast shutdown: it does not wait for clients.
    {
      user,
      cwd: '/',
      log: join(dir, 'server.log'),
      signal: 'SIGINT',
      ready: async () => (await connect('postgres')).end(),
    },
  )
  const url = (database) => `postgresql://bench:${password}@127.0.0.1:${port}/${database}`
  return {
    ...server,
    connect,
    url,
    version: execFileSync(join(bin, 'postgres'), ['-V']).toString(),
  }
}

let loop
const workflow = DBOS.registerWorkflow(
  async () => {
    const messages = [prompt]
    loop.start()
    for (let i = 0; i < loop.iterations; i++) {
      const text = await DBOS.runStep(() => loop.model(i, messages), { name: 'model' })
      const result = await DBOS.runStep(() => loop.tool(i), { name: 'tool' })
      if (!loop.history) continue
      messages.push({ role: 'assistant', content: text }, { role: 'tool', content: result })
    }
    loop.stop()
  },
  { name: 'loop' },
)

async function run(current, { dir, server }) {
  loop = current
  const database = dir.endsWith('warm-up') ? 'warm_up' : 'run'
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: server.url(database), logLevel: 'error' })
  await DBOS.launch()
  const client = await server.connect(database)
  const size = async () =>
    Number((await client.query('select pg_database_size(current_database()) as n')).rows[0].n)
  const before = await size()
  const handle = await DBOS.startWorkflow(workflow)()
  await handle.getResult()
  const steps = await DBOS.listWorkflowSteps(handle.workflowID)
  expectEqual(steps.length, 2 * loop.iterations)
  const names = Object.keys(durable).join(`', '`)
  const settings = await client.query(`select setting from pg_settings where name in ('${names}')`)
  // The growth only: an empty database is already 7 MB of catalogue.
  const storageBytes = (await size()) - before
  await client.end()
  await DBOS.shutdown()
  const effective = settings.rows.every(({ setting }) => setting === 'on')
  return { sync: effective ? 'FULL' : 'NORMAL', storageBytes }
}

await runPeer({
  name: 'dbos',
  version: '@dbos-inc/dbos-sdk',
  store: (server) => server.version.trim(),
  historyKept: 'steps, replayed',
  sync: ['FULL'],
  start,
  run,
})
