// The fake ACP agent, as a plain process or inside the real sandbox.

import { join } from 'node:path'
import { expect } from 'vitest'
import { type AcpAgentOptions, acpAgent } from '../../src/agents/acp/acp-agent.ts'
import type { StartProcess } from '../../src/engine/index.ts'
import {
  type AgentGuidance,
  type AgentNote,
  type AgentReport,
  defined,
} from '../../src/loop/index.ts'
import { openSandbox, openUnsandboxed } from '../../src/sandbox/index.ts'
import { createAgentContext, type TestAgentContext } from '../../src/testing/index.ts'
import { newFolder, newTag, taggedProcesses } from '../sandbox/fixture.ts'

const fake = join(import.meta.dirname, 'fakes/acp.mjs')

export interface FakeOptions extends Partial<AcpAgentOptions> {
  readonly signal?: AbortSignal
  readonly kind?: string
  readonly sandboxed?: boolean
  readonly prompt?: string
  readonly workspace?: string
  readonly onNote?: TestAgentContext['note']
  readonly guidance?: AgentGuidance
}

export interface FakeWork {
  readonly report: AgentReport
  readonly said: readonly string[]
  readonly todo: readonly AgentNote[]
  readonly workspace: string
}

/** No process of it is alive afterwards, whatever happened. */
export async function workAs(mode: string, options: FakeOptions = {}): Promise<FakeWork> {
  const {
    signal,
    prompt = 'write this',
    kind = 'edit',
    sandboxed = false,
    onNote,
    guidance,
    workspace: _,
    ...given
  } = options
  const workspace = options.workspace ?? (await newFolder())
  const tag = newTag()
  const context = createAgentContext({ workspace, ...defined({ signal, guidance }) })
  const note: TestAgentContext['note'] = (one) => {
    context.note(one)
    onNote?.(one)
  }
  const agent = acpAgent({
    command: [process.execPath, fake, mode, kind],
    start: await createStart(workspace, sandboxed),
    spending: 'gateway',
    ...given,
    env: { TAG: tag, ...given.env },
  })
  try {
    const report = await agent.work({ prompt }, { ...context, note })
    const said = context.notes.flatMap((one) => (one.type === 'said' ? [one.text] : []))
    const todo = context.notes.filter(({ type }) => type === 'todo')
    return { report, said, todo, workspace }
  } finally {
    expect(taggedProcesses(tag)).toEqual([])
  }
}

async function createStart(workspace: string, sandboxed: boolean): Promise<StartProcess> {
  const sandbox = sandboxed ? await openSandbox({ requireTier: 'strong' }) : openUnsandboxed()
  return (command) => sandbox.start({ workspace, readOnly: [fake] }, command)
}
