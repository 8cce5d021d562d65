/** The schema of `sandbox` in a loop file: what its commands may touch and use. */

import { z } from 'zod'
import { defined } from '../../loop/index.ts'
import { exactly } from '../exactly.ts'
import { describeValue } from './issue-problems.ts'
import type { SandboxSettings } from './loop-file.ts'
import { duration, expects, integer, key, keys, list, publicHost, size } from './value-schemas.ts'

const pathCharsMax = 1000

/** A literal path: nothing in it is expanded. */
function path(what: string): z.ZodType<string, string> {
  const error = expects(what)
  return z
    .string({ error })
    .min(1, { error, abort: true })
    .max(pathCharsMax, { error: `it is longer than ${pathCharsMax} characters: shorten it` })
    .refine((written) => !/[\p{Cc}*?]/u.test(written), {
      error: ({ input }) =>
        `patterns are not supported here, found ${describeValue(input)}: list each path`,
    })
    .refine((written) => !written.startsWith('~'), {
      error: ({ input }) =>
        `~ is not supported here, found ${describeValue(input)}: write the absolute path`,
    })
}

/** Kernel and service folders, which would expose exactly what the sandbox hides. */
const systemFolder = /^\/+(?:$|(?:proc|sys|dev|run)(?:\/|$))/

const readOnlyPath = (): z.ZodType<string, string> =>
  path('a path, such as ../shared').refine((written) => !systemFolder.test(written), {
    error: ({ input }) =>
      `this cannot be exposed in the sandbox, found ${describeValue(input)}: name a folder of files`,
  })

const hiddenPath = (): z.ZodType<string, string> => {
  const what = 'a path in the workspace, such as .env'
  return path(what)
    .refine(
      (written) => !written.startsWith('/') && written.split('/').every((part) => part !== '..'),
      { error: expects(what) },
    )
    .refine((written) => written.split('/').some((part) => part !== '' && part !== '.'), {
      error: 'this is the workspace itself: name what to hide in it',
    })
}

const limits = keys({
  memory: key(
    size('16MB').exactOptional(),
    'Memory: for all processes of a command together with cgroups, else for each process.',
    '4GB',
  ),
  processes: key(
    integer(16, 1_000_000).exactOptional(),
    'The most processes and threads that a command may have at once.',
    1024,
  ),
  cpus: key(
    z
      .number({ error: expects('a number from 0.1 to 1024') })
      .min(0.1, { error: expects('a number from 0.1 to 1024') })
      .max(1024, { error: expects('a number from 0.1 to 1024') })
      .exactOptional(),
    'The most processors that it may use at once, with cgroups. Default: all.',
    2,
  ),
  cpuTime: key(
    duration(365).exactOptional(),
    'The most CPU time for each of its processes, in whole seconds.',
    '1h',
  ),
  file: key(size().exactOptional(), 'The largest file that it may write.', '1GB'),
  output: key(size().exactOptional(), 'The most output that it may print, stored or not.', '1GB'),
  tmp: key(
    size().exactOptional(),
    'The most data in each in-memory folder, such as /tmp.',
    '512MB',
  ),
  workspace: key(
    size().exactOptional(),
    'How much the workspace may grow during one command.',
    '4GB',
  ),
}).transform(({ memory, cpuTime, file, output, tmp, workspace, ...rest }) => ({
  ...rest,
  ...defined({ memoryBytes: memory }),
  ...(cpuTime === undefined ? {} : { cpuSeconds: Math.ceil(cpuTime / 1000) }),
  ...defined({ fileBytes: file, outputBytes: output, tmpBytes: tmp, workspaceBytes: workspace }),
}))

export const sandboxSchema: z.ZodType<SandboxSettings> = exactly<SandboxSettings>()(
  keys({
    require: key(
      z.enum(['strong', 'basic', 'none']).exactOptional(),
      'The weakest acceptable sandbox. Default: strong for unattended runs; the best available for attended ones. none: no sandbox even if there is one; attended runs only.',
      'strong',
    ),
    readOnly: key(
      list(readOnlyPath(), 'a list of paths', { max: 50 }).prefault([]),
      'Files and folders outside the workspace that can be read, relative to this file.',
      ['../shared'],
    ),
    hide: key(
      list(hiddenPath(), 'a list of paths in the workspace', { max: 200 }).prefault([]),
      'Files and folders of the workspace that appear empty in the sandbox.',
      ['.env'],
    ),
    network: key(
      list(publicHost(), 'a list of hosts', { max: 100 }).prefault([]),
      'Hosts that can be reached, through a proxy: a name, or *.name for its subdomains, with a port unless it is 443. Default: none.',
      ['registry.npmjs.org', '*.example.com:8443'],
    ),
    limits: key(
      limits.prefault({}),
      'Resource limits for each command. Sizes have a unit: B, KB, MB or GB, each 1024 times the previous one.',
      { memory: '4GB', cpus: 2 },
    ),
  }),
)
