// Loopwright's own files and sockets, which a command sees below /run/loopwright.

import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { drive, identities, newFolder } from './fixture.ts'

const inner = '/run/loopwright/identity'

describe.each(identities)('for %s', (identity) => {
  test('a command reads the files and connects to the socket, and can change neither', async () => {
    const workspace = await newFolder(identity)
    const outer = await newFolder(identity)
    const [file, socket] = [join(outer, 'preload.cjs'), join(outer, 'own.sock')]
    await writeFile(file, 'ours\n')
    let received = ''
    const server = createServer((connection) =>
      connection.on('data', (data: Buffer) => {
        received += data.toString()
        connection.end('welcome\n')
      }),
    )
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    onTestFinished(() => void server.close())
    await chmod(socket, 0o777)
    const files = [
      { from: file, to: `${inner}/preload.cjs` },
      { from: socket, to: `${inner}/report.sock` },
    ]
    const connect = `require('net').connect('${inner}/report.sock').on('connect', function () { this.write('hello') }).pipe(process.stdout)`
    const script = `cat ${inner}/preload.cjs; node -e "${connect}"
      { echo evil > ${inner}/preload.cjs; rm -f ${inner}/report.sock; mv ${inner} /tmp/; touch ${inner}/new; } 2>/dev/null
      cat ${inner}/preload.cjs; ls ${inner}`
    const { results } = await drive(identity, {
      place: { workspace, files },
      commands: [{ program: 'bash', args: ['-c', script], timeoutMs: 20_000 }],
    })
    expect(results[0]?.stdout).toBe('ours\nwelcome\nours\npreload.cjs\nreport.sock\n')
    expect(received).toBe('hello')
  })
})

test('they cannot be mounted anywhere else', async () => {
  const workspace = await newFolder()
  const commands = [{ program: 'true', args: [] }]
  for (const to of ['/usr/bin/node', '/run/loopwright/../../etc/passwd', '/run/loopwright']) {
    const place = { workspace, files: [{ from: '/etc/hostname', to }] }
    await expect(drive(identities[0] ?? 'user', { place, commands })).rejects.toThrow(
      /is not a path/,
    )
  }
})
