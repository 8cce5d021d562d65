/** The checks of a loop file for certification, opened again in a clean checkout that no agent has accessed. */

import { delimiter } from 'node:path'
import { createAgents } from '../../agents/index.ts'
import type { Check, Tools } from '../../engine/index.ts'
import { defined } from '../../loop/index.ts'
import { type CertifySettings, type LoopFile, makerRole } from '../../protocol/index.ts'
import { createTools } from '../../tools/index.ts'
import type { AgentParts } from '../agents/agent-parts.ts'
import { openIdentity } from '../certify/identity/open-identity.ts'
import type { OpenContext } from '../open-context.ts'
import { openRunSandbox } from '../open-sandbox.ts'
import { ownTools } from '../open-tools.ts'
import { filesOfAgent } from './agent-name.ts'
import type { CertifyingParts } from './certifying-parts.ts'
import { checkKind } from './kinds/registry.ts'
import { openCertifyingChecks } from './open-checks.ts'
import { openReaders, type ReaderSettings } from './reader-agent.ts'
import type { ResolvedChecks } from './resolved-check.ts'
import { surroundingsIn } from './surroundings.ts'

type CertifyingFile = Pick<
  LoopFile,
  'agents' | 'scope' | 'seals' | 'certify' | 'exclude' | 'sandbox'
>

export interface CertifyingOptions extends Pick<AgentParts, 'models' | 'environment'> {
  readonly checks: ResolvedChecks
  /** The place of the run. */
  readonly place: OpenContext & { readonly base: string }
  /** The tools of the run, for the certificate. */
  readonly tools: Tools
}

export function certifyingParts(
  file: CertifyingFile,
  options: CertifyingOptions,
  code: Readonly<Record<string, Check>> = {},
): CertifyingParts {
  const { checks, models, environment, place, tools: runTools } = options
  return {
    scope: file.scope,
    seals: file.seals,
    certify: file.certify,
    ...modelNamed(file.agents),
    ...defined({ require: file.sandbox.require }),
    existing: Object.fromEntries(
      Object.entries(checks).map(([name, { existing }]) => [name, existing]),
    ),
    sealedFiles: namedFiles(checks, code, file.certify),
    readAhead: () => digestPrograms(options),
    async open({ workspace, readOnly = [], programs = [], signal, ...layered }) {
      const clean: OpenContext = {
        ...withoutCheckout(place),
        ...layered,
        workspace,
        readOnly,
        ...defined({ signal }),
      }
      const sandbox = await openRunSandbox(
        { settings: file.sandbox, base: place.base, workspace },
        clean,
      )
      const identity = await openIdentity(sandbox.summary.tier, environment['PATH'])
      const close = async (): Promise<void> => {
        await identity.close()
        await sandbox.close()
      }
      try {
        const tools = createTools({ tools: ownTools(sandbox, file.exclude) })
        const problems: string[] = []
        const opening = { place: clean, sandbox, models, environment, problems, checks: {} }
        const agents = await openReaders(readersOf(checks, file.certify), opening, {
          workspace,
          tools,
        })
        const opened = await openCertifyingChecks(checks, code, {
          sandbox,
          workspace,
          path: [...programs, environment['PATH'] ?? ''].join(delimiter),
          described: (await runTools.list?.()) ?? [],
          tools,
          identity,
          layerEnv: layered.layer?.env ?? {},
          surroundings: surroundingsIn({
            sandbox: file.sandbox,
            summary: sandbox.summary,
            environment,
            project: place.checkout ?? place.workspace,
          }),
        })
        const { summary } = sandbox
        return { checks: opened, agents: createAgents(agents), sandbox: summary, close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

/** The digests are cached. */
function digestPrograms({ checks, environment, place }: CertifyingOptions): void {
  const at = { workspace: place.workspace ?? '/', path: environment['PATH'], described: [] }
  for (const [name, check] of Object.entries(checks)) {
    void checkKind(check)
      .describe(name, check, at)
      .catch(() => undefined)
  }
}

/** The context of the run, without what belongs to the checkout of its agent. */
function withoutCheckout(context: OpenContext): OpenContext {
  const { checkout: _checkout, sandboxPath: _sandboxPath, excludedPaths: _paths, ...rest } = context
  return rest
}

const namedFiles = (
  checks: ResolvedChecks,
  code: Readonly<Record<string, Check>>,
  { consult }: CertifySettings,
): readonly string[] => [
  ...new Set([
    ...Object.entries(checks).flatMap(([name, check]) =>
      Object.hasOwn(code, name) ? [] : checkKind(check).filesNamed(check),
    ),
    ...consult.flatMap(({ agent }) => filesOfAgent(agent)),
  ]),
]

/** The agents that review the work, by role. */
export function readersOf(
  checks: ResolvedChecks,
  { consult }: CertifySettings,
): Readonly<Record<string, ReaderSettings>> {
  const judges = Object.entries(checks).flatMap(([name, check]): [string, ReaderSettings][] => {
    const reader = checkKind(check).reader?.(check)
    return reader === undefined ? [] : [[`judge:${name}`, reader]]
  })
  const consultants = consult.map(({ name, ...settings }): [string, ReaderSettings] => [
    `consult:${name}`,
    settings,
  ])
  return Object.fromEntries([...judges, ...consultants])
}

/** The model that the file names, if any. Otherwise the agent program chooses it. */
const modelNamed = ({ [makerRole]: agent }: LoopFile['agents']): Pick<CertifyingParts, 'model'> =>
  agent !== undefined && 'model' in agent && agent.model !== undefined ? { model: agent.model } : {}
