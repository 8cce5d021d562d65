// Commands in the sandbox behave like plain commands: input, environment, output and exit code.

import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Command, Commands } from '../../src/engine/index.ts'
import { openNetworkProxy, openSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { never, newFolder } from './fixture.ts'

let sandbox: Sandbox
let workspace: string
let commands: Commands
beforeAll(async () => {
  sandbox = await openSandbox({ requireTier: 'strong' })
})
beforeEach(async () => {
  workspace = await newFolder()
  commands = sandbox.commands({ workspace })
})

const shell = (script: string, more: Partial<Command> = {}): Command => ({
  program: 'sh',
  args: ['-c', script],
  ...more,
})

describe('a command', () => {
  test('returns its exit code and both streams', async () => {
    const result = await commands.run(shell('echo out; echo err >&2; exit 3'), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(result).not.toHaveProperty('exceeded')
  })

  test('that is killed by a signal has the exit code that shells use', async () => {
    const result = await commands.run(shell('kill -SEGV $$'), never)
    expect(result).toMatchObject({ ended: 'exited', exitCode: 128 + 11 })
  })

  test('gets its arguments unchanged, without a shell', async () => {
    const args = ['%s\n', '$HOME; echo no', '*', '--', '']
    const { stdout } = await commands.run({ program: 'printf', args }, never)
    expect(stdout).toBe('$HOME; echo no\n*\n--\n\n')
  })

  test('reads its input, which is empty by default', async () => {
    const input = 'line\n'.repeat(100_000)
    const { stdout } = await commands.run({ program: 'wc', args: ['-l'], input }, never)
    expect(stdout.trim()).toBe('100000')
    expect(await commands.run({ program: 'cat', args: [] }, never)).toMatchObject({ stdout: '' })
  })

  test('may ignore its input', async () => {
    const input = 'x'.repeat(1_000_000)
    expect(await commands.run({ program: 'true', args: [], input }, never)).toMatchObject({
      exitCode: 0,
    })
  })

  test('sees the variables of its sandbox and its own, which take precedence', async () => {
    const own = sandbox.commands({ workspace, env: { A: 'place', B: 'place' } })
    const script = 'echo "$A $B $HOME $TMPDIR $LANG"'
    const { stdout } = await own.run(shell(script, { env: { B: 'own', LANG: 'C' } }), never)
    expect(stdout).toBe('place own /home/agent /tmp C\n')
  })

  test('runs in the workspace by default, or in the given folder', async () => {
    await mkdir(join(workspace, 'sub'))
    expect((await commands.run(shell('pwd'), never)).stdout).toBe(`${workspace}\n`)
    const cwd = join(workspace, 'sub')
    expect((await commands.run(shell('pwd', { cwd }), never)).stdout).toBe(`${cwd}\n`)
  })

  test.each([
    ['folder', (text: string) => ({ cwd: workspace + text })],
    ['variable', (text: string) => ({ env: { A: `x${text}` } })],
    ['name of a variable', (text: string) => ({ env: { [`A${text}`]: 'x' } })],
    ['program', (text: string) => ({ program: `sh${text}` })],
    ['argument', (text: string) => ({ args: [`x${text}`] })],
  ])('cannot inject sandbox arguments through its %s', async (_part, more) => {
    const secret = await newFolder()
    await writeFile(join(secret, 'key'), 'secret')
    const command = shell('cat /tmp/key', more(`\0--ro-bind\0${secret}\0/tmp`))
    await expect(commands.run(command, never)).rejects.toThrow(/NUL|null bytes/)
  })

  test('finds Node, git and a shell', async () => {
    const { stdout } = await commands.run(
      shell('node -p process.version; git --version; bash -c "echo bash"'),
      never,
    )
    expect(stdout).toContain(process.version)
    expect(stdout).toContain('git version')
    expect(stdout).toContain('bash\n')
  })

  test('has a private loopback interface', async () => {
    const script = `const net = require('net')
      const server = net.createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1', () =>
        net.connect(server.address().port, 'localhost').on('data', (data) => {
          console.log(String(data)); server.close() }))`
    const { stdout } = await commands.run({ program: 'node', args: ['-e', script] }, never)
    expect(stdout).toBe('hello\n')
  })

  test('that prints too much returns the end, and the whole output is in the file', async () => {
    const spill = { file: join(await newFolder(), 'all.txt'), bytesMax: 10_000_000 }
    const script = "echo first; yes e | head -c 3000000; printf 'last'"
    const result = await commands.run(shell(script, { outputBytesMax: 1000, spill }), never)
    expect(result.stdout).toHaveLength(1000)
    expect(result.stdout).toMatch(/last$/)
    expect(result.spilled).toEqual({ file: spill.file, bytes: 3_000_010 })
    expect((await readFile(spill.file, 'utf8')).slice(0, 8)).toBe('first\ne\n')
  })

  test('reports its output as it arrives', async () => {
    const abort = new AbortController()
    const onOutput = (chunk: Uint8Array): void => {
      if (Buffer.from(chunk).toString().includes('ready')) abort.abort()
    }
    const result = await commands.run(shell('echo ready; sleep 1000', { onOutput }), abort.signal)
    expect(result).toMatchObject({ ended: 'aborted', stdout: 'ready\n' })
  })

  test('can run concurrently with many others', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        commands.run(
          shell(`echo ${index} > file-${index}; echo ${index}`),
          new AbortController().signal,
        ),
      ),
    )
    expect(all.map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: 20 }, (_, index) => `${index}\n`),
    )
  })
})

describe('a workspace', () => {
  test.each(['with space', "quote's", 'new\nline', '-dash', 'ümläut *?$(x)', '"double" \\ back'])(
    'may be named %j',
    async (name) => {
      const odd = join(workspace, name)
      await mkdir(odd)
      const result = await sandbox.commands({ workspace: odd }).run(shell('echo x > f; pwd'), never)
      expect(result).toMatchObject({ exitCode: 0, stdout: `${odd}\n` })
      expect(await readFile(join(odd, 'f'), 'utf8')).toBe('x\n')
    },
  )

  test('may be a symlink: both paths work inside', async () => {
    const link = join(await newFolder(), 'link')
    await symlink(workspace, link)
    const linked = sandbox.commands({ workspace: link })
    const script = `echo a > ${workspace}/a; echo b > ${link}/b`
    expect(await linked.run(shell(script, { cwd: link }), never)).toMatchObject({ exitCode: 0 })
    expect(await readFile(join(workspace, 'a'), 'utf8')).toBe('a\n')
    expect(await readFile(join(workspace, 'b'), 'utf8')).toBe('b\n')
  })

  test('may have a very long path', async () => {
    const deep = join(workspace, ...Array.from({ length: 14 }, () => 'd'.repeat(250)))
    await mkdir(deep, { recursive: true })
    const own = sandbox.commands({ workspace: deep })
    expect(await own.run(shell('echo x > f; pwd'), never)).toMatchObject({ stdout: `${deep}\n` })
  })

  test.each(['/', '/usr', '/tmp', '/sys', '/proc/self', '/nonexistent/workspace', 'relative'])(
    'cannot be %s',
    (path) => {
      expect(() => sandbox.commands({ workspace: path })).toThrow(
        expect.objectContaining({ code: 'bad-request' }),
      )
    },
  )
})

describe('a program that cannot be started', () => {
  test('is a fault that names it', async () => {
    const missing = commands.run({ program: 'no-such-program', args: [] }, never)
    await expect(missing).rejects.toMatchObject({
      fault: { code: 'ENOENT', message: expect.stringContaining('no-such-program') },
    })
    await writeFile(join(workspace, 'plain.txt'), '')
    const plain = commands.run({ program: join(workspace, 'plain.txt'), args: [] }, never)
    await expect(plain).rejects.toMatchObject({ fault: { code: 'EACCES' } })
  })

  test('because its directory is missing says so', async () => {
    const missing = join(workspace, 'missing')
    await expect(commands.run(shell('true', { cwd: missing }), never)).rejects.toMatchObject({
      fault: { code: 'ENOENT', message: expect.stringContaining(missing) },
    })
    const elsewhere = await newFolder()
    await expect(commands.run(shell('true', { cwd: elsewhere }), never)).rejects.toMatchObject({
      fault: { message: expect.stringContaining('in the sandbox') },
    })
  })

  test('is distinguished from a program that prints the same error', async () => {
    const script = 'echo "bwrap: execvp x: No such file or directory" >&2; exit 1'
    expect(await commands.run(shell(script), never)).toMatchObject({ ended: 'exited', exitCode: 1 })
  })

  test('because the sandbox cannot be created reports the error of bubblewrap', async () => {
    const shared = await newFolder()
    const broken = sandbox.commands({ workspace, readOnly: [shared] })
    await rm(shared, { recursive: true })
    await expect(broken.run(shell('true'), never)).rejects.toMatchObject({
      fault: { code: 'sandbox-failed', message: expect.stringContaining(shared) },
    })
  })
})

describe('a sandbox with a gateway', () => {
  /** Echoes the input of each connection in capitals. */
  async function openGateway(): Promise<string> {
    const socket = join(await newFolder(), 'gateway.sock')
    const server = createServer((connection) => {
      connection.on('error', () => {})
      connection.on('data', (data) => connection.end(data.toString().toUpperCase()))
    })
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    server.unref()
    return socket
  }
  const ask = (port: number): string =>
    `exec 3<>/dev/tcp/127.0.0.1/${port} && echo hello >&3 && cat <&3`

  test('reaches it on the loopback interface, and nothing else', async () => {
    const place = { workspace, gateway: { socket: await openGateway(), port: 8080 } }
    const script = `${ask(8080)}; (${ask(8081)}) 2> /dev/null || echo refused`
    const result = await sandbox
      .commands(place)
      .run({ program: 'bash', args: ['-c', script] }, never)
    expect(result).toMatchObject({ exitCode: 0, stdout: 'HELLO\nrefused\n', stderr: '' })
  })

  test('gets all of a long answer, even if the server has closed the connection', async () => {
    const socket = join(await newFolder(), 'gateway.sock')
    const bytes = 20_000_000
    const server = createServer({ allowHalfOpen: true }, (connection) => {
      connection.on('error', () => {}).resume()
      connection.on('end', () => connection.end(Buffer.alloc(bytes, 'x')))
    })
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    onTestFinished(() => void server.close())
    const script = `let bytes = 0
      require('net').connect({ port: 8080, host: '127.0.0.1', allowHalfOpen: true }).on('connect', function () {
        this.end('all'); this.pause(); setTimeout(() => this.resume(), 200)
      }).on('data', (data) => { bytes += data.length }).on('end', () => console.log(bytes))`
    const own = sandbox.commands({ workspace, gateway: { socket, port: 8080 } })
    const { stdout } = await own.run({ program: 'node', args: ['-e', script] }, never)
    expect(stdout).toBe(`${bytes}\n`)
  })

  test('does not change exit code, input or stopping', async () => {
    const gateway = { socket: await openGateway(), port: 8080 }
    const own = sandbox.commands({ workspace, gateway })
    expect(await own.run(shell('cat; exit 7', { input: 'in' }), never)).toMatchObject({
      exitCode: 7,
      stdout: 'in',
    })
    expect(await own.run(shell('kill -9 $$'), never)).toMatchObject({ exitCode: 137 })
    await expect(own.run({ program: 'no-such-program', args: [] }, never)).rejects.toMatchObject({
      fault: { code: 'ENOENT' },
    })
    const abort = new AbortController()
    const onOutput = (): void => abort.abort()
    const script = 'trap "echo cleaned; exit 0" TERM; echo ready; while :; do sleep 0.01; done'
    expect(await own.run(shell(script, { onOutput }), abort.signal)).toMatchObject({
      ended: 'aborted',
      stdout: 'ready\ncleaned\n',
    })
  })

  test('sets HTTPS_PROXY if it has a network proxy', async () => {
    const network = { socket: await openGateway(), port: 3128 }
    const own = sandbox.commands({ workspace, network })
    const { stdout } = await own.run(
      { program: 'bash', args: ['-c', `echo $HTTPS_PROXY; ${ask(3128)}`] },
      never,
    )
    expect(stdout).toBe('http://127.0.0.1:3128\nHELLO\n')
  })
})

test('a sandbox with a network proxy reaches only the allowed hosts', async () => {
  const host = createServer((socket) => socket.on('error', () => {}).end('from the host'))
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void host.close())
  const address = host.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const proxy = await openNetworkProxy({
    allow: ['registry.example:443'],
    resolve: async () => ['93.184.216.34'],
    connect: () => connect(port, '127.0.0.1'),
  })
  onTestFinished(() => proxy.close())
  const script = `const { hostname, port } = new URL(process.env.HTTPS_PROXY)
    for (const path of ['registry.example:443', 'evil.example:443']) {
      require('http').request({ host: hostname, port, method: 'CONNECT', path })
        .on('connect', (response, socket, head) => {
          if (response.statusCode !== 200) { console.log(path, response.statusCode); return socket.destroy() }
          // The first bytes may arrive together with the answer to CONNECT.
          let all = String(head)
          socket.on('data', (data) => { all += data }).on('end', () => console.log(path, all))
        }).end()
    }`
  const network = { socket: proxy.socket, port: 3128 }
  const command = { program: 'node', args: ['-e', script], timeoutMs: 20_000 }
  const { stdout } = await sandbox.commands({ workspace, network }).run(command, never)
  expect(stdout.trim().split('\n').toSorted()).toEqual([
    'evil.example:443 403',
    'registry.example:443 from the host',
  ])
})

test('a long-running program lives until it is killed', async () => {
  const { child, kill } = sandbox.start({ workspace }, { program: 'cat', args: [] })
  const output = new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()))
  })
  child.stdin?.write('ping\n')
  expect(await output).toBe('ping\n')
  expect(await kill()).toEqual([])
})
