// The table `sandbox` of a loop file: its meaning, and its error messages.

import { describe, expect, test } from 'vitest'
import { LoopFileError, parseLoopFile } from '../src/definition/loop-file/index.ts'
import type { CodeLoop, LoadedLoop } from '../src/host/index.ts'
import { scanCodeLoop } from '../src/launch/code-loop/index.ts'
import { loadCode } from '../src/launch/load-code.ts'
import { openNetworkProxy } from '../src/sandbox/index.ts'
import { loopText, writeLoop } from './code-loop-fixture.ts'

const small = 'prompt: do it\nagent: { command: [agent] }\nchecks: { test: npm test }\n'

const parse = async (text: string) => (await parseLoopFile(text, 'a.yaml')).file

/** Each problem as `line: path: reason`. */
async function refusal(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((thrown: unknown) => thrown)
  if (!(error instanceof LoopFileError)) throw new Error(`not refused: ${text}`, { cause: error })
  return error.problems.map(({ line, path, reason }) => `${line}: ${path}: ${reason}`)
}

describe('the sandbox of a loop file', () => {
  test('has sizes in bytes, CPU seconds, and hosts with their port', async () => {
    const file = await parse(`${small}
sandbox:
  require: basic
  readOnly: [../shared, /opt/data]
  hide: [.env, ./secrets/keys, a..b]
  network: [Registry.npmjs.org, "*.example.com:8443", a-b.c_d.co.uk:80]
  limits: { memory: 1.5GB, processes: 64, cpus: 0.5, cpuTime: 1500ms, file: 10MB, output: 64KB, tmp: 2048B, workspace: 4GB }
`)
    expect(file.sandbox).toEqual({
      require: 'basic',
      readOnly: ['../shared', '/opt/data'],
      hide: ['.env', './secrets/keys', 'a..b'],
      network: ['registry.npmjs.org:443', '*.example.com:8443', 'a-b.c_d.co.uk:80'],
      limits: {
        memoryBytes: 1_610_612_736,
        processes: 64,
        cpus: 0.5,
        cpuSeconds: 2,
        fileBytes: 10_485_760,
        outputBytes: 65_536,
        tmpBytes: 2048,
        workspaceBytes: 4_294_967_296,
      },
    })
  })

  test('has only hosts that the proxy accepts', async () => {
    const hosts = [
      'registry.npmjs.org',
      '*.example.com:8443',
      'a-b.c_d.co.uk:65535',
      '0x1.xn--p1ai',
    ]
    const { sandbox } = await parse(`${small}sandbox: { network: ${JSON.stringify(hosts)} }\n`)
    const proxy = await openNetworkProxy({ allow: sandbox.network })
    await proxy.close()
    expect(sandbox.network).toHaveLength(hosts.length)
  })

  const sizes = 'expected a size with its unit, such as 64KB, 512MB or 4GB'
  const hosts =
    'expected the name of a public host, with its port unless that is 443, such as registry.npmjs.org or *.example.com:8443'
  const inWorkspace = 'expected a path in the workspace, such as .env'
  test.each<[string, string, string]>([
    [
      'a size without its unit',
      'limits: { memory: 4096 }',
      `limits.memory: ${sizes}, found the number 4096`,
    ],
    [
      'a size of another unit',
      'limits: { tmp: 1GiB }',
      `limits.tmp: ${sizes}, found the text "1GiB"`,
    ],
    [
      'a size that is too small',
      'limits: { memory: 1KB }',
      'limits.memory: expected a size of 16MB to 1048576GB, found the text "1KB"',
    ],
    [
      'no processors',
      'limits: { cpus: 0 }',
      'limits.cpus: expected a number from 0.1 to 1024, found the number 0',
    ],
    [
      'a misspelt limit',
      'limits: { memroy: 4GB }',
      'limits.memroy: there is no key "memroy": did you mean memory?',
    ],
    [
      'a misspelt key',
      'readonly: [a]',
      'readonly: there is no key "readonly": did you mean readOnly?',
    ],
    [
      'an unknown tier',
      'require: stong',
      'require: expected strong or basic or none, found the text "stong"',
    ],
    ...['127.0.0.1', '2130706433', '127.1', '[::1]:443', 'localhost', '*', '*.com'].map(
      (host): [string, string, string] => [
        `no name of a public host: ${host}`,
        `network: ["${host}"]`,
        `network[0]: ${hosts}, found the text "${host}"`,
      ],
    ),
    ...['https://a.example', 'a.example:0', 'a.example:65536', 'a.example/x', 'me@a.example'].map(
      (host): [string, string, string] => [
        `more than a host and a port: ${host}`,
        `network: ["${host}"]`,
        `network[0]: ${hosts}, found the text "${host}"`,
      ],
    ),
    [
      'a duplicate host',
      'network: [a.example, "A.example:443"]',
      'network[1]: "a.example:443" is listed twice: remove one',
    ],
    ...['../.env', 'a/../../b', '/etc/passwd', ''].map((path): [string, string, string] => [
      `nothing of the workspace to hide: ${path}`,
      `hide: ["${path}"]`,
      `hide[0]: ${inWorkspace}, found the text "${path}"`,
    ]),
    [
      'the whole workspace hidden',
      'hide: [./]',
      'hide[0]: this is the workspace itself: name what to hide in it',
    ],
    [
      'a pattern of files',
      'hide: ["*.pem"]',
      'hide[0]: patterns are not supported here, found the text "*.pem": list each path',
    ],
    [
      'a home that is not known',
      'readOnly: [~/shared]',
      'readOnly[0]: ~ is not supported here, found the text "~/shared": write the absolute path',
    ],
    ...['/', '/proc', '/run/docker.sock', '//dev/'].map((path): [string, string, string] => [
      `what must not be seen inside: ${path}`,
      `readOnly: [${path}]`,
      `readOnly[0]: this cannot be exposed in the sandbox, found the text "${path}": name a folder of files`,
    ]),
    [
      'a key without effect',
      'require: none, hide: [.env]',
      'hide: with require: none there is no sandbox, so this has no effect: remove one of the two',
    ],
  ])('is refused with %s', async (_what, text, problem) => {
    const problems = await refusal(`${small}sandbox: { ${text} }\n`)
    expect(problems.map((one) => one.replace('4: sandbox.', ''))).toEqual([problem])
  })

  test('does not apply to an agent with its own login, which only a command can be', async () => {
    expect(
      await refusal(small.replace('command: [agent]', 'model: a/b, subscription: true')),
    ).toEqual([
      '2: agent.subscription: there is no key "subscription": expected one of model, system, turns, maxOutputTokens, temperature, baseUrl, apiKeyEnv',
    ])
    const file = await parse(small.replace('[agent]', '[agent], subscription: true'))
    expect(file.agents['maker']).toMatchObject({ subscription: true })
  })
})

describe('the sandbox of a loop file in TypeScript', () => {
  const sandbox: NonNullable<CodeLoop['sandbox']> = {
    require: 'basic',
    readOnly: ['.'],
    hide: ['.env'],
    network: ['registry.npmjs.org'],
    limits: { memory: '4GB', cpuTime: '1h', cpus: 2 },
  }
  const load = async (table: unknown): Promise<LoadedLoop> => {
    const text = loopText('', `sandbox: ${JSON.stringify(table)},`)
    return loadCode(await scanCodeLoop(writeLoop({ 'loop.ts': text })), { folder: '/nonexistent' })
  }

  test('has the same keys with the same meaning', async () => {
    await load(sandbox)
    const wrong = { ...sandbox, limits: { memory: 4096 }, network: ['10.0.0.1'] }
    const error: unknown = await load(wrong).catch((thrown: unknown) => thrown)
    if (!(error instanceof LoopFileError)) throw error
    expect(error.problems.map(({ path }) => path)).toEqual([
      'sandbox.network[0]',
      'sandbox.limits.memory',
    ])
  })

  test('is refused if it would have no effect, also with its own loop type', async () => {
    await expect(load({ require: 'none', hide: ['.env'] })).rejects.toThrow(
      'sandbox.hide: with require: none there is no sandbox',
    )
  })
})
