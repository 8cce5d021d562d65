/**
 * Converts conversations to the AI SDK's format, and responses back.
 *
 * The stable part comes first: system, tools, prompt, earlier messages. What changes each turn is
 * one message at the end, after the mark up to which Anthropic caches; other providers recognize
 * the common start by themselves.
 */

import { type Json, NotJsonError, toJson } from '../loop/index.ts'
import type { ChatRequest, Message, Stop, ToolCall } from './conversation.ts'
import type {
  SdkContent,
  SdkMessage,
  SdkPrompt,
  SdkProviderOptions,
  SdkResult,
  SdkTool,
} from './model-types.ts'

const cached: SdkProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

export function toPrompt(ask: ChatRequest): SdkPrompt {
  const last = ask.messages.length - 1
  const prompt: SdkPrompt = [
    { role: 'system', content: ask.system, providerOptions: cached },
    ...ask.messages.map((message, index) => {
      const isMarked = index === 0 || index === last
      return isMarked ? { ...toMessage(message), providerOptions: cached } : toMessage(message)
    }),
  ]
  if (ask.status !== undefined) {
    prompt.push({ role: 'user', content: [{ type: 'text', text: ask.status }] })
  }
  return prompt
}

export function toTools(ask: ChatRequest, provider: string): SdkTool[] {
  // Otherwise OpenAI treats every argument as required; others do not know the option.
  const strict = provider.startsWith('openai.') ? { strict: false } : {}
  return ask.tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters as Extract<SdkTool, { type: 'function' }>['inputSchema'],
    ...strict,
  }))
}

function toMessage(message: Message): SdkMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'results':
      return {
        role: 'tool',
        content: message.results.map(({ id, name, ok, text }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          output: { type: ok ? 'text' : 'error-text', value: text },
        })),
      }
    case 'assistant':
      return { role: 'assistant', content: toAssistantParts(message) }
  }
}

type AssistantParts = Extract<SdkMessage, { role: 'assistant' }>['content']

/** Providers need their reasoning and ids back unchanged. */
function toAssistantParts(message: Extract<Message, { role: 'assistant' }>): AssistantParts {
  const args = new Map(message.calls.map((call) => [call.id, call.args]))
  const parts: AssistantParts = []
  for (const part of (message.raw ?? toContent(message)) as readonly SdkContent[]) {
    const options =
      'providerMetadata' in part && part.providerMetadata !== undefined
        ? { providerOptions: part.providerMetadata }
        : {}
    // Providers refuse empty texts.
    if (part.type === 'text' && part.text !== '') {
      parts.push({ type: 'text', text: part.text, ...options })
    } else if (part.type === 'reasoning') {
      parts.push({ type: 'reasoning', text: part.text, ...options })
    } else if (part.type === 'tool-call' && args.has(part.toolCallId)) {
      const { toolCallId, toolName } = part
      const input = args.get(toolCallId)
      parts.push({ type: 'tool-call', toolCallId, toolName, input, ...options })
    }
  }
  return parts
}

/** For a conversation that did not come from a model. */
function toContent(message: Extract<Message, { role: 'assistant' }>): readonly SdkContent[] {
  const calls = message.calls.map(
    ({ id, name }): SdkContent => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: '',
    }),
  )
  return [{ type: 'text', text: message.text }, ...calls]
}

export function toText(content: readonly SdkContent[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The tool calls of the model, without those that the provider ran itself. */
export function toCalls(content: readonly SdkContent[]): readonly ToolCall[] {
  return content
    .filter((part) => part.type === 'tool-call')
    .filter((part) => part.providerExecuted !== true)
    .map(({ toolCallId: id, toolName: name, input }) => ({ id, name, ...parseArgs(input) }))
}

function parseArgs(text: string): { readonly args: Json; readonly problem?: string } {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { args: {}, problem: 'The arguments must be a JSON object.' }
    }
    return { args: toJson(value) }
  } catch (error) {
    if (error instanceof NotJsonError) return { args: {}, problem: error.message }
    const shown = text.length > 200 ? `…${text.slice(-200)}` : text
    const problem = `The arguments are not valid JSON; perhaps they were cut off. They end: ${shown}`
    return { args: {}, problem }
  }
}

const stops: Readonly<Record<SdkResult['finishReason']['unified'], Stop>> = {
  stop: 'end',
  'tool-calls': 'calls',
  length: 'length',
  'content-filter': 'refused',
  error: 'failed',
  other: 'end',
}

export const toStop = (result: SdkResult): Stop => stops[result.finishReason.unified] ?? 'end'
