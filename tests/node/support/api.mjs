// Made by make-api.mjs from index.d.ts: do not edit.
export default {
  "functions": {
    "cancellableSleep": {
      "parameters": [
        {
          "name": "ms",
          "optional": false,
          "type": "number"
        },
        {
          "name": "token",
          "optional": true,
          "type": "CancelToken"
        },
        {
          "name": "options",
          "optional": true,
          "type": "SleepOptions"
        }
      ],
      "returns": "Promise<boolean>"
    },
    "classifyError": {
      "parameters": [
        {
          "name": "error",
          "optional": false,
          "type": "Object | string | number | boolean | null | undefined"
        },
        {
          "name": "provider",
          "optional": true,
          "type": "string"
        }
      ],
      "returns": "ErrorInfo"
    },
    "nextDelayMs": {
      "parameters": [
        {
          "name": "policy",
          "optional": false,
          "type": "RetryPolicy"
        },
        {
          "name": "attempt",
          "optional": false,
          "type": "number"
        }
      ],
      "returns": "number"
    },
    "requestWithRetry": {
      "parameters": [
        {
          "name": "request",
          "optional": false,
          "type": "(context: AttemptContext) => Promise<Object | number>"
        },
        {
          "name": "policy",
          "optional": false,
          "type": "RetryPolicy"
        },
        {
          "name": "options",
          "optional": true,
          "type": "RetryOptions"
        }
      ],
      "returns": "RetryHandle"
    },
    "version": {
      "parameters": [],
      "returns": "string"
    }
  },
  "classes": {
    "BackoffCalculator": {
      "constructible": false,
      "parameters": [],
      "methods": {},
      "statics": {
        "nextDelay": {
          "parameters": [
            {
              "name": "attempt",
              "optional": false,
              "type": "number"
            },
            {
              "name": "base",
              "optional": false,
              "type": "number"
            },
            {
              "name": "factor",
              "optional": false,
              "type": "number"
            },
            {
              "name": "rng",
              "optional": false,
              "type": "() => number"
            }
          ],
          "returns": "number"
        }
      },
      "getters": {}
    },
    "BreakerPermit": {
      "constructible": false,
      "parameters": [],
      "methods": {
        "recordSuccess": {
          "parameters": [
            {
              "name": "tookMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
        },
        "recordFailure": {
          "parameters": [
            {
              "name": "retryAfterMs",
              "optional": true,
              "type": "number"
            },
            {
              "name": "tookMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
        },
        "release": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "isProbe": "boolean"
      }
    },
    "CancelToken": {
      "constructible": true,
      "parameters": [],
      "methods": {
        "cancel": {
          "parameters": [],
          "returns": "void"
        },
        "onCancel": {
          "parameters": [
            {
              "name": "listener",
              "optional": false,
              "type": "(reason: string) => void"
            }
          ],
          "returns": "number"
        },
        "offCancel": {
          "parameters": [
            {
              "name": "id",
              "optional": false,
              "type": "number"
            }
          ],
          "returns": "boolean"
        }
      },
      "statics": {},
      "getters": {
        "cancelled": "boolean",
        "reason": "string | undefined"
      }
    },
    "CircuitBreaker": {
      "constructible": true,
      "parameters": [
        {
          "name": "failureThreshold",
          "optional": true,
          "type": "number"
        },
        {
          "name": "cooldownMs",
          "optional": true,
          "type": "number"
        },
        {
          "name": "now",
          "optional": true,
          "type": "() => number"
        },
        {
          "name": "options",
          "optional": true,
          "type": "BreakerOptions"
        }
      ],
      "methods": {
        "allowRequest": {
          "parameters": [],
          "returns": "boolean"
        },
        "recordSuccess": {
          "parameters": [
            {
              "name": "tookMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
        },
        "recordFailure": {
          "parameters": [
            {
              "name": "retryAfterMs",
              "optional": true,
              "type": "number"
            },
            {
              "name": "tookMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
        },
        "recordNeutral": {
          "parameters": [],
          "returns": "void"
        },
        "tryAcquire": {
          "parameters": [],
          "returns": "BreakerPermit | null"
        },
        "isolate": {
          "parameters": [],
          "returns": "void"
        },
        "forceClosed": {
          "parameters": [],
          "returns": "void"
        },
        "reset": {
          "parameters": [],
          "returns": "void"
        },
        "onStateChange": {
          "parameters": [
            {
              "name": "listener",
              "optional": false,
              "type": "(event: BreakerEvent) => void"
            }
          ],
          "returns": "number"
        },
        "offStateChange": {
          "parameters": [
            {
              "name": "id",
              "optional": false,
              "type": "number"
            }
          ],
          "returns": "boolean"
        }
      },
      "statics": {},
      "getters": {
        "state": "BreakerState",
        "retryAfterMs": "number",
        "consecutiveFailures": "number",
        "windowCounts": "WindowCounts | undefined",
        "stats": "BreakerStats"
      }
    },
    "ManualClock": {
      "constructible": true,
      "parameters": [],
      "methods": {
        "now": {
          "parameters": [],
          "returns": "number"
        },
        "advance": {
          "parameters": [
            {
              "name": "ms",
              "optional": false,
              "type": "number"
            }
          ],
          "returns": "void"
        },
        "advanceAsync": {
          "parameters": [
            {
              "name": "ms",
              "optional": false,
              "type": "number"
            }
          ],
          "returns": "Promise<void>"
        }
      },
      "statics": {},
      "getters": {
        "pendingSleeps": "number",
        "nextSleepMs": "number | undefined"
      }
    },
    "MockLlmClient": {
      "constructible": true,
      "parameters": [
        {
          "name": "failFirst",
          "optional": true,
          "type": "number"
        },
        {
          "name": "options",
          "optional": true,
          "type": "MockOptions"
        }
      ],
      "methods": {
        "chat": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "Object"
            }
          ],
          "returns": "Promise<ChatResponse>"
        }
      },
      "statics": {
        "alwaysFailing": {
          "parameters": [
            {
              "name": "options",
              "optional": true,
              "type": "MockOptions"
            }
          ],
          "returns": "MockLlmClient"
        }
      },
      "getters": {
        "calls": "number"
      }
    },
    "ResilientLlmClient": {
      "constructible": true,
      "parameters": [
        {
          "name": "inner",
          "optional": false,
          "type": "LlmClient | StreamingLlmClient"
        },
        {
          "name": "config",
          "optional": true,
          "type": "ResilienceConfig"
        },
        {
          "name": "breaker",
          "optional": true,
          "type": "CircuitBreaker"
        },
        {
          "name": "fallback",
          "optional": true,
          "type": "string | FallbackFunction"
        },
        {
          "name": "onRetry",
          "optional": true,
          "type": "(event: RetryEvent) => void"
        }
      ],
      "methods": {
        "chat": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "Object"
            }
          ],
          "returns": "Promise<string>"
        },
        "execute": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "Object"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CallOptions"
            }
          ],
          "returns": "Promise<CallOutcome>"
        },
        "chatStream": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "Object"
            },
            {
              "name": "onText",
              "optional": false,
              "type": "(text: string) => void | Promise<void>"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CallOptions"
            }
          ],
          "returns": "Promise<CallOutcome>"
        }
      },
      "statics": {},
      "getters": {
        "lastAttempts": "number",
        "usedFallback": "boolean",
        "breakerState": "BreakerState",
        "listenerErrors": "number"
      }
    },
    "ResilientLlmRunner": {
      "constructible": true,
      "parameters": [
        {
          "name": "primary",
          "optional": false,
          "type": "LlmProvider"
        },
        {
          "name": "fallbacks",
          "optional": true,
          "type": "LlmProvider[]"
        },
        {
          "name": "config",
          "optional": true,
          "type": "RunnerConfig"
        },
        {
          "name": "fallback",
          "optional": true,
          "type": "string | FallbackFunction"
        },
        {
          "name": "onRetry",
          "optional": true,
          "type": "(event: RetryEvent) => void"
        }
      ],
      "methods": {
        "execute": {
          "parameters": [
            {
              "name": "prompt",
              "optional": false,
              "type": "string | Object"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CallOptions"
            }
          ],
          "returns": "Promise<RunnerAnswer>"
        },
        "call": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CallOptions"
            }
          ],
          "returns": "Promise<CallOutcome>"
        },
        "chatStream": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            },
            {
              "name": "onText",
              "optional": false,
              "type": "(text: string) => void | Promise<void>"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CallOptions"
            }
          ],
          "returns": "Promise<CallOutcome>"
        }
      },
      "statics": {},
      "getters": {
        "listenerErrors": "number"
      }
    },
    "RetryHandle": {
      "constructible": false,
      "parameters": [],
      "methods": {
        "cancel": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "result": "Promise<RetryResult>",
        "trace": "RetryTrace"
      }
    },
    "RetryPolicies": {
      "constructible": false,
      "parameters": [],
      "methods": {},
      "statics": {
        "read": {
          "parameters": [],
          "returns": "RetryPolicy"
        },
        "write": {
          "parameters": [],
          "returns": "RetryPolicy"
        }
      },
      "getters": {}
    },
    "TextSink": {
      "constructible": false,
      "parameters": [],
      "methods": {
        "push": {
          "parameters": [
            {
              "name": "text",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "Promise<void>"
        },
        "keepAlive": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "closed": "boolean"
      }
    },
    "TraceLog": {
      "constructible": true,
      "parameters": [
        {
          "name": "limit",
          "optional": true,
          "type": "number"
        }
      ],
      "methods": {
        "add": {
          "parameters": [
            {
              "name": "trace",
              "optional": false,
              "type": "RetryTrace"
            }
          ],
          "returns": "void"
        },
        "addOutcome": {
          "parameters": [
            {
              "name": "outcome",
              "optional": false,
              "type": "CallOutcome"
            },
            {
              "name": "url",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "void"
        },
        "all": {
          "parameters": [],
          "returns": "Array<RetryTrace>"
        },
        "clear": {
          "parameters": [],
          "returns": "void"
        },
        "onChange": {
          "parameters": [
            {
              "name": "listener",
              "optional": false,
              "type": "(trace?: RetryTrace) => void"
            }
          ],
          "returns": "number"
        },
        "offChange": {
          "parameters": [
            {
              "name": "id",
              "optional": false,
              "type": "number"
            }
          ],
          "returns": "boolean"
        }
      },
      "statics": {},
      "getters": {
        "listenerErrors": "number"
      }
    }
  },
  "interfaces": {
    "ChatRequest": {
      "prompt": {
        "optional": true,
        "type": "string"
      }
    },
    "ChatResponse": {
      "text": {
        "optional": false,
        "type": "string"
      },
      "finishReason": {
        "optional": true,
        "type": "string"
      },
      "headers": {
        "optional": true,
        "type": "Record<string, string>"
      }
    },
    "AttemptContext": {
      "attempt": {
        "optional": false,
        "type": "number"
      },
      "requestId": {
        "optional": false,
        "type": "string"
      },
      "timeoutMs": {
        "optional": false,
        "type": "number"
      },
      "cancelToken": {
        "optional": false,
        "type": "CancelToken"
      }
    },
    "LlmClient": {},
    "StreamingLlmClient": {},
    "LlmProvider": {
      "name": {
        "optional": false,
        "type": "string"
      },
      "breaker": {
        "optional": true,
        "type": "CircuitBreaker"
      },
      "largerContext": {
        "optional": true,
        "type": "boolean"
      },
      "provider": {
        "optional": true,
        "type": "string"
      },
      "passContext": {
        "optional": true,
        "type": "boolean"
      }
    },
    "AttemptRecord": {
      "provider": {
        "optional": true,
        "type": "string"
      },
      "attempt": {
        "optional": false,
        "type": "number"
      },
      "ok": {
        "optional": false,
        "type": "boolean"
      },
      "code": {
        "optional": true,
        "type": "ErrorClass"
      },
      "status": {
        "optional": true,
        "type": "number"
      },
      "message": {
        "optional": false,
        "type": "string"
      },
      "startedAtMs": {
        "optional": false,
        "type": "number"
      },
      "durationMs": {
        "optional": false,
        "type": "number"
      },
      "delayMs": {
        "optional": true,
        "type": "number"
      },
      "delaySource": {
        "optional": true,
        "type": "DelaySource"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "retryAfterMalformed": {
        "optional": true,
        "type": "string"
      },
      "breakerState": {
        "optional": false,
        "type": "BreakerState"
      },
      "probe": {
        "optional": false,
        "type": "boolean"
      },
      "maybeBilled": {
        "optional": false,
        "type": "boolean"
      }
    },
    "BreakerEvent": {
      "from": {
        "optional": false,
        "type": "BreakerState"
      },
      "to": {
        "optional": false,
        "type": "BreakerState"
      },
      "reason": {
        "optional": false,
        "type": "string"
      },
      "atMs": {
        "optional": false,
        "type": "number"
      },
      "failures": {
        "optional": false,
        "type": "number"
      },
      "cooldownMs": {
        "optional": false,
        "type": "number"
      }
    },
    "BreakerOptions": {
      "cooldownFactor": {
        "optional": true,
        "type": "number"
      },
      "maxCooldownMs": {
        "optional": true,
        "type": "number"
      },
      "cooldownSpread": {
        "optional": true,
        "type": "number"
      },
      "cooldownResetMs": {
        "optional": true,
        "type": "number"
      },
      "maxRetryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "halfOpenProbes": {
        "optional": true,
        "type": "number"
      },
      "successThreshold": {
        "optional": true,
        "type": "number"
      },
      "probeLeaseMs": {
        "optional": true,
        "type": "number"
      },
      "window": {
        "optional": true,
        "type": "WindowOptions"
      }
    },
    "BreakerStats": {
      "successes": {
        "optional": false,
        "type": "number"
      },
      "failures": {
        "optional": false,
        "type": "number"
      },
      "neutral": {
        "optional": false,
        "type": "number"
      },
      "stale": {
        "optional": false,
        "type": "number"
      },
      "rejected": {
        "optional": false,
        "type": "number"
      },
      "opened": {
        "optional": false,
        "type": "number"
      },
      "halfOpened": {
        "optional": false,
        "type": "number"
      },
      "closed": {
        "optional": false,
        "type": "number"
      },
      "listenerErrors": {
        "optional": false,
        "type": "number"
      }
    },
    "CallOptions": {
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
      },
      "deadlineMs": {
        "optional": true,
        "type": "number"
      },
      "requestId": {
        "optional": true,
        "type": "string"
      }
    },
    "CallOutcome": {
      "status": {
        "optional": false,
        "type": "OutcomeStatus"
      },
      "text": {
        "optional": false,
        "type": "string"
      },
      "usedFallback": {
        "optional": false,
        "type": "boolean"
      },
      "degraded": {
        "optional": false,
        "type": "boolean"
      },
      "providerUsed": {
        "optional": true,
        "type": "string"
      },
      "passedOver": {
        "optional": false,
        "type": "Array<PassedOver>"
      },
      "attempts": {
        "optional": false,
        "type": "number"
      },
      "stopReason": {
        "optional": false,
        "type": "StopReason"
      },
      "error": {
        "optional": true,
        "type": "ErrorInfo"
      },
      "cause": {
        "optional": true,
        "type": "ErrorClass"
      },
      "fallbackError": {
        "optional": true,
        "type": "string"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "requestId": {
        "optional": false,
        "type": "string"
      },
      "elapsedMs": {
        "optional": false,
        "type": "number"
      },
      "maybeBilled": {
        "optional": false,
        "type": "boolean"
      },
      "trace": {
        "optional": false,
        "type": "Array<AttemptRecord>"
      },
      "response": {
        "optional": true,
        "type": "ChatResponse"
      }
    },
    "ErrorInfo": {
      "code": {
        "optional": false,
        "type": "ErrorClass"
      },
      "message": {
        "optional": false,
        "type": "string"
      },
      "retryable": {
        "optional": false,
        "type": "boolean"
      },
      "status": {
        "optional": true,
        "type": "number"
      },
      "providerCode": {
        "optional": true,
        "type": "string"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "retryAfterSource": {
        "optional": true,
        "type": "string"
      },
      "retryAfterMalformed": {
        "optional": true,
        "type": "string"
      },
      "maybeBilled": {
        "optional": false,
        "type": "boolean"
      },
      "reachesCaller": {
        "optional": false,
        "type": "boolean"
      }
    },
    "FailureInfo": {
      "stopReason": {
        "optional": false,
        "type": "StopReason"
      },
      "error": {
        "optional": true,
        "type": "ErrorInfo"
      },
      "cause": {
        "optional": true,
        "type": "ErrorClass"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "defaultText": {
        "optional": false,
        "type": "string"
      }
    },
    "MockOptions": {
      "reply": {
        "optional": true,
        "type": "string"
      },
      "latencyMs": {
        "optional": true,
        "type": "number"
      },
      "status": {
        "optional": true,
        "type": "number"
      },
      "message": {
        "optional": true,
        "type": "string"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "PassedOver": {
      "provider": {
        "optional": false,
        "type": "string"
      },
      "stopReason": {
        "optional": false,
        "type": "StopReason"
      },
      "cause": {
        "optional": true,
        "type": "ErrorClass"
      },
      "message": {
        "optional": false,
        "type": "string"
      },
      "attempts": {
        "optional": false,
        "type": "number"
      },
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      }
    },
    "ResilienceConfig": {
      "maxRetries": {
        "optional": true,
        "type": "number"
      },
      "baseMs": {
        "optional": true,
        "type": "number"
      },
      "base": {
        "optional": true,
        "type": "number"
      },
      "factor": {
        "optional": true,
        "type": "number"
      },
      "maxMs": {
        "optional": true,
        "type": "number"
      },
      "jitter": {
        "optional": true,
        "type": "Jitter"
      },
      "jitterSpread": {
        "optional": true,
        "type": "number"
      },
      "jitterMs": {
        "optional": true,
        "type": "number"
      },
      "attemptTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "deadlineMs": {
        "optional": true,
        "type": "number"
      },
      "retryAfterMaxMs": {
        "optional": true,
        "type": "number"
      },
      "retryUnsafe": {
        "optional": true,
        "type": "boolean"
      },
      "quotaCooldownMs": {
        "optional": true,
        "type": "number"
      },
      "firstTextTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "idleTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "accounting": {
        "optional": true,
        "type": "Accounting"
      },
      "budget": {
        "optional": true,
        "type": "RetryBudgetOptions"
      },
      "locale": {
        "optional": true,
        "type": "Locale"
      },
      "provider": {
        "optional": true,
        "type": "string"
      },
      "passContext": {
        "optional": true,
        "type": "boolean"
      },
      "rng": {
        "optional": true,
        "type": "() => number"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "RetryBudgetOptions": {
      "capacity": {
        "optional": true,
        "type": "number"
      },
      "perCall": {
        "optional": true,
        "type": "number"
      },
      "perMinute": {
        "optional": true,
        "type": "number"
      }
    },
    "RetryEvent": {
      "attempt": {
        "optional": false,
        "type": "number"
      },
      "delayMs": {
        "optional": false,
        "type": "number"
      },
      "delaySource": {
        "optional": false,
        "type": "DelaySource"
      },
      "error": {
        "optional": false,
        "type": "ErrorInfo"
      }
    },
    "RetryOptions": {
      "url": {
        "optional": true,
        "type": "string"
      },
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
      },
      "deadlineMs": {
        "optional": true,
        "type": "number"
      },
      "requestId": {
        "optional": true,
        "type": "string"
      },
      "log": {
        "optional": true,
        "type": "TraceLog"
      },
      "passContext": {
        "optional": true,
        "type": "boolean"
      }
    },
    "RetryPolicy": {
      "baseMs": {
        "optional": false,
        "type": "number"
      },
      "factor": {
        "optional": false,
        "type": "number"
      },
      "maxMs": {
        "optional": false,
        "type": "number"
      },
      "maxAttempts": {
        "optional": false,
        "type": "number"
      },
      "attemptTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "deadlineMs": {
        "optional": true,
        "type": "number"
      },
      "retryAfterMaxMs": {
        "optional": true,
        "type": "number"
      },
      "retryUnsafe": {
        "optional": true,
        "type": "boolean"
      },
      "retryStatuses": {
        "optional": true,
        "type": "Array<number>"
      },
      "finalStatuses": {
        "optional": true,
        "type": "Array<number>"
      },
      "rng": {
        "optional": true,
        "type": "() => number"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "RetryResult": {
      "outcome": {
        "optional": false,
        "type": "RetryOutcome"
      },
      "stopReason": {
        "optional": false,
        "type": "StopReason"
      },
      "status": {
        "optional": true,
        "type": "number"
      },
      "response": {
        "optional": true,
        "type": "Object"
      },
      "error": {
        "optional": true,
        "type": "ErrorInfo"
      },
      "trace": {
        "optional": false,
        "type": "RetryTrace"
      }
    },
    "RetryTrace": {
      "url": {
        "optional": false,
        "type": "string"
      },
      "attempts": {
        "optional": false,
        "type": "number"
      },
      "delays": {
        "optional": false,
        "type": "Array<number>"
      },
      "finalStatus": {
        "optional": false,
        "type": "number"
      },
      "outcome": {
        "optional": true,
        "type": "RetryOutcome"
      },
      "stopReason": {
        "optional": true,
        "type": "StopReason"
      },
      "startedAtMs": {
        "optional": true,
        "type": "number"
      },
      "durationMs": {
        "optional": true,
        "type": "number"
      },
      "requestId": {
        "optional": true,
        "type": "string"
      },
      "requests": {
        "optional": true,
        "type": "Array<AttemptRecord>"
      }
    },
    "RunnerAnswer": {
      "text": {
        "optional": false,
        "type": "string"
      },
      "providerUsed": {
        "optional": false,
        "type": "string"
      },
      "degraded": {
        "optional": false,
        "type": "boolean"
      },
      "passedOver": {
        "optional": false,
        "type": "Array<PassedOver>"
      }
    },
    "RunnerConfig": {
      "maxRetries": {
        "optional": true,
        "type": "number"
      },
      "timeoutMs": {
        "optional": true,
        "type": "number"
      },
      "circuitFailureThreshold": {
        "optional": true,
        "type": "number"
      },
      "circuitResetWindowMs": {
        "optional": true,
        "type": "number"
      },
      "breakerOfPrimaryOnly": {
        "optional": true,
        "type": "boolean"
      },
      "nextAfterContentFilter": {
        "optional": true,
        "type": "boolean"
      },
      "baseMs": {
        "optional": true,
        "type": "number"
      },
      "factor": {
        "optional": true,
        "type": "number"
      },
      "maxMs": {
        "optional": true,
        "type": "number"
      },
      "jitter": {
        "optional": true,
        "type": "Jitter"
      },
      "jitterSpread": {
        "optional": true,
        "type": "number"
      },
      "jitterMs": {
        "optional": true,
        "type": "number"
      },
      "deadlineMs": {
        "optional": true,
        "type": "number"
      },
      "retryAfterMaxMs": {
        "optional": true,
        "type": "number"
      },
      "retryUnsafe": {
        "optional": true,
        "type": "boolean"
      },
      "quotaCooldownMs": {
        "optional": true,
        "type": "number"
      },
      "firstTextTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "idleTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "accounting": {
        "optional": true,
        "type": "Accounting"
      },
      "budget": {
        "optional": true,
        "type": "RetryBudgetOptions"
      },
      "locale": {
        "optional": true,
        "type": "Locale"
      },
      "rng": {
        "optional": true,
        "type": "() => number"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "SleepOptions": {
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "WindowCounts": {
      "total": {
        "optional": false,
        "type": "number"
      },
      "failed": {
        "optional": false,
        "type": "number"
      },
      "slow": {
        "optional": false,
        "type": "number"
      }
    },
    "WindowOptions": {
      "calls": {
        "optional": true,
        "type": "number"
      },
      "lengthMs": {
        "optional": true,
        "type": "number"
      },
      "buckets": {
        "optional": true,
        "type": "number"
      },
      "minimumCalls": {
        "optional": true,
        "type": "number"
      },
      "failureRate": {
        "optional": true,
        "type": "number"
      },
      "failures": {
        "optional": true,
        "type": "number"
      },
      "slowRate": {
        "optional": true,
        "type": "number"
      },
      "slowCallMs": {
        "optional": true,
        "type": "number"
      }
    }
  },
  "enums": {
    "Accounting": {
      "Attempt": "attempt",
      "Call": "call"
    },
    "BreakerState": {
      "CLOSED": 0,
      "OPEN": 1,
      "HALF_OPEN": 2
    },
    "DelaySource": {
      "Backoff": "backoff",
      "RetryAfter": "retry_after"
    },
    "ErrorClass": {
      "RateLimit": "rate_limit",
      "Overloaded": "overloaded",
      "Server": "server",
      "Timeout": "timeout",
      "Connect": "connect",
      "Interrupted": "interrupted",
      "Quota": "quota",
      "Auth": "auth",
      "ModelNotFound": "model_not_found",
      "ContextLength": "context_length",
      "ContentFilter": "content_filter",
      "BadRequest": "bad_request",
      "InvalidResponse": "invalid_response",
      "Protocol": "protocol",
      "Offline": "offline",
      "Cancelled": "cancelled",
      "ClientBug": "client_bug",
      "Unknown": "unknown"
    },
    "Jitter": {
      "Multiplicative": "multiplicative",
      "Full": "full",
      "Equal": "equal",
      "Additive": "additive",
      "Decorrelated": "decorrelated",
      "None": "none"
    },
    "Locale": {
      "Chinese": "zh",
      "English": "en"
    },
    "OutcomeStatus": {
      "Ok": "ok",
      "Fallback": "fallback",
      "Error": "error",
      "Cancelled": "cancelled",
      "Partial": "partial"
    },
    "RetryOutcome": {
      "Success": "success",
      "Final": "final",
      "GivenUp": "given_up",
      "Cancelled": "cancelled"
    },
    "StopReason": {
      "Success": "success",
      "NotRetryable": "not_retryable",
      "Attempts": "attempts",
      "Deadline": "deadline",
      "Budget": "budget",
      "CircuitOpen": "circuit_open",
      "RetryAfter": "retry_after",
      "RetryAfterTooLong": "retry_after_too_long",
      "Cancelled": "cancelled",
      "Bulkhead": "bulkhead",
      "LowQuality": "low_quality",
      "Partial": "partial"
    }
  },
  "types": {
    "FallbackFunction": "(failure: FailureInfo) => string | Promise<string>"
  }
}
