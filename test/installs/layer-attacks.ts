// Code that runs inside, while dependencies are installed, and leaves something in the layer for
// users outside; and code that attacks our registry endpoint.

import { type Attack, json, type Scene } from './attack.ts'
import { berryHeader, berryWith } from './yarn-attacks.ts'

const inside = (
  name: string,
  code: (scene: Scene) => string,
  more: Partial<Attack> = {},
): Attack => ({
  name,
  manager: 'berry',
  files: (scene) => berryWith(`const fs = require('fs'); ${code(scene)}`),
  ends: 'either',
  ...more,
})

/** At the end, when Yarn no longer overwrites it. */
const last = (code: string): string =>
  `process.on('exit', () => { const fs = require('fs'); const quiet = (run) => { try { run() } catch {} }; ${code} })`

const workspace = (code: string): ReturnType<Attack['files']> => ({
  ...berryWith(last(code)),
  'package.json': json({ name: 't', version: '1.0.0', workspaces: ['w'] }),
  'w/package.json': json({ name: 'w', version: '1.0.0' }),
  'yarn.lock': `${berryHeader}${['t@workspace:.', 'w@workspace:w'].map((id) => `\n"${id}":\n  version: 0.0.0-use.local\n  resolution: "${id}"\n  languageName: unknown\n  linkType: soft\n`).join('')}`,
})

const requests =
  (paths: (scene: Scene) => readonly string[]): ((scene: Scene) => string) =>
  (scene) =>
    `const program = 'for (const [path, method] of ' + ${json(json(paths(scene).map((path) => [path, 'GET'])))} + ') { const socket = require("net").connect(4142, "127.0.0.1"); socket.on("error", () => {}); socket.on("data", (data) => require("fs").appendFileSync("node_modules/answers.txt", data)); socket.write(method + " " + path + " HTTP/1.1\\\\r\\\\nHost: x\\\\r\\\\nConnection: close\\\\r\\\\n\\\\r\\\\n") }';
fs.mkdirSync('node_modules', { recursive: true });
require('child_process').execFileSync(process.execPath, ['-e', program], { stdio: 'ignore', timeout: 8000 })`

export const layerAttacks: readonly Attack[] = [
  {
    name: 'a folder of the workspace replaced by a link to another project',
    manager: 'berry',
    files: (scene) =>
      workspace(
        `fs.rmSync('w', { recursive: true, force: true }); fs.symlinkSync(${json(scene.neighbor)}, 'w')`,
      ),
    ends: 'installed',
  },
  inside('node_modules replaced by a link to another project', ({ neighbor }) =>
    last(
      `fs.rmSync('node_modules', { recursive: true, force: true }); fs.symlinkSync(${json(`${neighbor}/node_modules`)}, 'node_modules')`,
    ),
  ),
  inside(
    'links in place of the folders that programs write to',
    ({ neighbor }) =>
      last(
        `fs.mkdirSync('node_modules', { recursive: true }); for (const name of ['.cache', '.vite', '.tmp']) fs.symlinkSync(${json(`${neighbor}/`)} + name, 'node_modules/' + name); fs.symlinkSync(${json(neighbor)}, 'node_modules/.vitest')`,
      ),
    { ends: 'installed' },
  ),
  inside('links in place of the folders of ours', ({ neighbor }) =>
    last(
      `for (const name of ['.downloads', '.manager', '.store']) { fs.rmSync(name, { recursive: true, force: true }); fs.symlinkSync(${json(neighbor)}, name) }`,
    ),
  ),
  inside(
    'files in place of folders, and names that are no text',
    () =>
      last(
        `fs.mkdirSync('node_modules', { recursive: true }); fs.writeFileSync('node_modules/@scope', 'x'); quiet(() => fs.writeFileSync('node_modules/.cache', 'x')); fs.writeFileSync(Buffer.concat([Buffer.from('node_modules/'), Buffer.from([0xff, 0xfe])]), 'x')`,
      ),
    { ends: 'refused' },
  ),
  inside('pipes, sockets and set-user-id programs', () =>
    last(
      `fs.mkdirSync('node_modules/p', { recursive: true }); quiet(() => require('child_process').execFileSync('mkfifo', ['node_modules/p/pipe'])); fs.copyFileSync('/bin/sh', 'node_modules/p/sh'); fs.chmodSync('node_modules/p/sh', 0o6755)`,
    ),
  ),
  inside('hard links to what is outside of the layer', ({ neighbor, canary }) =>
    last(
      `fs.mkdirSync('node_modules/h', { recursive: true }); for (const path of [${json(`${neighbor}/secret.txt`)}, '/etc/passwd', '/run/loopwright/relay.mjs']) quiet(() => fs.linkSync(path, 'node_modules/h/' + path.replace(/\\W/g, '-'))); void ${canary.length}`,
    ),
  ),
  inside('folders that nobody may enter, and a path too long to name', () =>
    last(
      `fs.mkdirSync('node_modules/d', { recursive: true }); fs.mkdirSync('node_modules/closed'); fs.writeFileSync('node_modules/closed/x', ''); fs.chmodSync('node_modules/closed', 0); quiet(() => require('child_process').execFileSync('sh', ['-c', 'cd node_modules/d; for i in $(seq 40); do mkdir ${'d'.repeat(200)}; cd ${'d'.repeat(200)}; done']))`,
    ),
  ),
  inside(
    'paths of the endpoint that lead elsewhere',
    requests(({ evil, registry }) => [
      `/npm/0//${evil.slice('http://'.length)}x`,
      `/npm/0/${evil}x`,
      `/npm/0/\\\\${evil.slice('http://'.length)}x`,
      `/npm/0/@${evil.slice('http://'.length)}x`,
      '/npm/0/..%2f..%2fapi',
      '/npm/0/a/%2e%2e/%2e%2e/api',
      '/npm/0/a/..\\..\\api',
      `${evil}absolute`,
      `${registry}absolute`,
      '/link/00000000000000000000000000000000/x',
      '/npm/1/x',
      '/../npm/0/x',
    ]),
    { ends: 'installed' },
  ),
  inside(
    'the account of the operator, asked for at the registry',
    requests(() => [
      '/npm/0/-/whoami',
      '/npm/0/-/npm/v1/tokens',
      '/npm/0/-/npm/v1/user',
      '/npm/0/%2d/whoami',
    ]),
    {
      ends: 'installed',
      answers: ({ canary }) =>
        Object.fromEntries(
          ['/-/whoami', '/-/npm/v1/tokens', '/-/npm/v1/user'].map((path) => [
            path,
            { body: json({ username: 'operator', key: canary }) },
          ]),
        ),
    },
  ),
  inside(
    'requests that are not reads, headers of its own, and requests within requests',
    ({ registry }) =>
      `const program = ${json(
        `const net = require('net'); for (const text of ${json([
          'PUT /npm/0/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
          `CONNECT ${registry.slice('http://'.length, -1)} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`,
          'GET /npm/0/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer attacker\r\nX-Forwarded-Host: evil\r\n\r\n',
          'GET /npm/0/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nDELETE /npm/0/a HTTP/1.1\r\nHost: x\r\n\r\n',
          'GET /npm/0/a HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
        ])}) { const socket = net.connect(4142, '127.0.0.1'); socket.on('error', () => {}); socket.write(text); setTimeout(() => socket.destroy(), 500) }`,
      )}; require('child_process').execFileSync(process.execPath, ['-e', program], { stdio: 'ignore', timeout: 8000 })`,
    { ends: 'installed' },
  ),
  inside(
    'a process that stays',
    ({ markers }) =>
      `require('child_process').spawn(process.execPath, ['-e', ${json(`process.on('SIGTERM', () => {}); setTimeout(process.exit, 60_000); setInterval(() => { for (const path of ${json(markers)}) try { require('fs').writeFileSync(path, 'x') } catch {} }, 50)`)}], { detached: true, stdio: 'ignore' }).unref()`,
    { ends: 'installed', control: ['sh', '-c', 'yarn install; sleep 1'] },
  ),
]
