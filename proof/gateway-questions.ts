/** One question in each of the wire formats, as the proofs of the gateway ask it. */

import type { ModelFormat } from 'loopwright/testing'

export interface Question {
  readonly format: ModelFormat
  readonly streamed: boolean
}

export const formats: readonly ModelFormat[] = ['anthropic', 'chat', 'responses', 'gemini']

/** What the questions allow. */
export const outputMax = 1000

export function requestFor({ format, streamed: stream }: Question): {
  readonly path: string
  readonly body: object
} {
  const messages = [{ role: 'user', content: 'Say whether it is done, please.' }]
  switch (format) {
    case 'anthropic': {
      const body = { model: 'claude-sonnet-5', max_tokens: outputMax, stream, messages }
      return { path: '/v1/messages', body }
    }
    case 'chat': {
      const usage = stream ? { stream_options: { include_usage: true } } : {}
      const body = {
        model: 'gpt-5.1',
        max_completion_tokens: outputMax,
        stream,
        messages,
        ...usage,
      }
      return { path: '/v1/chat/completions', body }
    }
    case 'responses': {
      const body = { model: 'gpt-5.1', max_output_tokens: outputMax, stream, input: messages }
      return { path: '/v1/responses', body }
    }
    case 'gemini': {
      const does = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const contents = [{ role: 'user', parts: [{ text: 'Say whether it is done, please.' }] }]
      const generationConfig = { maxOutputTokens: outputMax }
      return {
        path: `/v1beta/models/gemini-2.5-flash:${does}`,
        body: { contents, generationConfig },
      }
    }
  }
}
