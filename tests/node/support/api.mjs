// Made by make-api.mjs from index.d.ts: do not edit.
export default {
  "functions": {
    "bareLLMCall": {
      "parameters": [
        {
          "name": "fn",
          "optional": false,
          "type": "() => Promise<T>"
        }
      ],
      "returns": "Promise<T>"
    },
    "bareLlmCall": {
      "parameters": [
        {
          "name": "fn",
          "optional": false,
          "type": "() => Promise<T>"
        }
      ],
      "returns": "Promise<T>"
    },
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
    "cascadedModelCall": {
      "parameters": [
        {
          "name": "options",
          "optional": false,
          "type": "CascadedCallOptions"
        }
      ],
      "returns": "Promise<AgentAnswer>"
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
    "createBreaker": {
      "parameters": [
        {
          "name": "action",
          "optional": false,
          "type": "(...args: Object[]) => Promise<Object | string | void>"
        },
        {
          "name": "options",
          "optional": true,
          "type": "CreateBreakerOptions"
        }
      ],
      "returns": "BreakerWithEvents"
    },
    "createBulkhead": {
      "parameters": [
        {
          "name": "config",
          "optional": false,
          "type": "BulkheadConfig"
        },
        {
          "name": "clock",
          "optional": true,
          "type": "ManualClock"
        }
      ],
      "returns": "Bulkhead"
    },
    "createBulkheadManager": {
      "parameters": [
        {
          "name": "clock",
          "optional": true,
          "type": "ManualClock"
        }
      ],
      "returns": "BulkheadManager"
    },
    "createFlakyLLMMock": {
      "parameters": [
        {
          "name": "options",
          "optional": true,
          "type": "FlakyOptions"
        }
      ],
      "returns": "() => Promise<string>"
    },
    "createModelRouter": {
      "parameters": [
        {
          "name": "options",
          "optional": true,
          "type": "RouterOptions"
        }
      ],
      "returns": "ModelRouter"
    },
    "createResilientAgent": {
      "parameters": [
        {
          "name": "options",
          "optional": false,
          "type": "AgentOptions"
        }
      ],
      "returns": "ResilientAgent"
    },
    "demoBadScenario": {
      "parameters": [
        {
          "name": "client",
          "optional": false,
          "type": "LlmClient | (() => Promise<Object | string>)"
        },
        {
          "name": "concurrency",
          "optional": true,
          "type": "number"
        },
        {
          "name": "clock",
          "optional": true,
          "type": "ManualClock"
        }
      ],
      "returns": "Promise<BadScenario>"
    },
    "getBreakerState": {
      "parameters": [
        {
          "name": "breaker",
          "optional": false,
          "type": "BreakerWithEvents"
        }
      ],
      "returns": "'closed' | 'open' | 'halfOpen'"
    },
    "getNextTier": {
      "parameters": [
        {
          "name": "current",
          "optional": false,
          "type": "ModelTier"
        }
      ],
      "returns": "ModelTier | undefined"
    },
    "metrics": {
      "parameters": [],
      "returns": "Metrics"
    },
    "networkChanged": {
      "parameters": [
        {
          "name": "online",
          "optional": false,
          "type": "boolean"
        }
      ],
      "returns": "void"
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
    "prometheusText": {
      "parameters": [],
      "returns": "string"
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
    "resumed": {
      "parameters": [],
      "returns": "void"
    },
    "suspended": {
      "parameters": [],
      "returns": "void"
    },
    "version": {
      "parameters": [],
      "returns": "string"
    },
    "withSimpleRetry": {
      "parameters": [
        {
          "name": "fn",
          "optional": false,
          "type": "() => Promise<T>"
        },
        {
          "name": "options",
          "optional": true,
          "type": "SimpleRetryOptions"
        }
      ],
      "returns": "Promise<T>"
    }
  },
  "classes": {
    "AnswerCache": {
      "constructible": true,
      "parameters": [
        {
          "name": "options",
          "optional": true,
          "type": "AnswerCacheOptions"
        }
      ],
      "methods": {
        "getOrCall": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            },
            {
              "name": "call",
              "optional": false,
              "type": "() => Promise<string | Object>"
            },
            {
              "name": "options",
              "optional": true,
              "type": "CachedCallOptions"
            }
          ],
          "returns": "Promise<CachedAnswer>"
        },
        "get": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            }
          ],
          "returns": "string | undefined"
        },
        "set": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            },
            {
              "name": "answer",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "boolean"
        },
        "remove": {
          "parameters": [
            {
              "name": "request",
              "optional": false,
              "type": "string | Object"
            }
          ],
          "returns": "boolean"
        },
        "clear": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "stats": "CacheStats"
      }
    },
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
    "BreakerWithEvents": {
      "constructible": false,
      "parameters": [],
      "methods": {
        "fire": {
          "parameters": [
            {
              "name": "args",
              "optional": true,
              "type": "Object[]"
            }
          ],
          "returns": "Promise<T>"
        },
        "fallback": {
          "parameters": [
            {
              "name": "fallback",
              "optional": false,
              "type": "(...args: Object[]) => Object | Promise<Object>"
            }
          ],
          "returns": "BreakerWithEvents"
        },
        "on": {
          "parameters": [
            {
              "name": "event",
              "optional": false,
              "type": "string"
            },
            {
              "name": "listener",
              "optional": false,
              "type": "(...args: Object[]) => void"
            }
          ],
          "returns": "BreakerWithEvents"
        },
        "off": {
          "parameters": [
            {
              "name": "event",
              "optional": false,
              "type": "string"
            },
            {
              "name": "listener",
              "optional": false,
              "type": "(...args: Object[]) => void"
            }
          ],
          "returns": "boolean"
        },
        "open": {
          "parameters": [],
          "returns": "void"
        },
        "close": {
          "parameters": [],
          "returns": "void"
        },
        "shutdown": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "name": "string | undefined",
        "configMismatch": "boolean",
        "opened": "boolean",
        "halfOpen": "boolean",
        "closed": "boolean",
        "status": "BreakerStatus",
        "stats": "FireStats"
      }
    },
    "Bulkhead": {
      "constructible": true,
      "parameters": [
        {
          "name": "config",
          "optional": false,
          "type": "BulkheadConfig"
        },
        {
          "name": "clock",
          "optional": true,
          "type": "ManualClock"
        }
      ],
      "methods": {
        "stats": {
          "parameters": [],
          "returns": "BulkheadStats"
        },
        "schedule": {
          "parameters": [
            {
              "name": "fn",
              "optional": false,
              "type": "(cancelToken: CancelToken) => Promise<T>"
            },
            {
              "name": "options",
              "optional": true,
              "type": "ScheduleOptions"
            }
          ],
          "returns": "Promise<T>"
        },
        "acquire": {
          "parameters": [
            {
              "name": "options",
              "optional": true,
              "type": "AcquireOptions"
            }
          ],
          "returns": "Promise<BulkheadPermit>"
        }
      },
      "statics": {},
      "getters": {
        "name": "string",
        "configMismatch": "boolean"
      }
    },
    "BulkheadManager": {
      "constructible": true,
      "parameters": [
        {
          "name": "clock",
          "optional": true,
          "type": "ManualClock"
        }
      ],
      "methods": {
        "getOrCreate": {
          "parameters": [
            {
              "name": "config",
              "optional": false,
              "type": "BulkheadConfig"
            }
          ],
          "returns": "Bulkhead"
        },
        "get": {
          "parameters": [
            {
              "name": "name",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "Bulkhead | undefined"
        },
        "getPreset": {
          "parameters": [
            {
              "name": "name",
              "optional": false,
              "type": "'premium-model' | 'standard-model' | 'economy-model' | 'free-tier'"
            }
          ],
          "returns": "Bulkhead"
        },
        "totalStats": {
          "parameters": [],
          "returns": "Record<string, BulkheadStats>"
        }
      },
      "statics": {},
      "getters": {}
    },
    "BulkheadPermit": {
      "constructible": false,
      "parameters": [],
      "methods": {
        "release": {
          "parameters": [],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {}
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
        "snapshot": {
          "parameters": [
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "string"
        },
        "restore": {
          "parameters": [
            {
              "name": "snapshot",
              "optional": false,
              "type": "string"
            },
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
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
      "statics": {
        "named": {
          "parameters": [
            {
              "name": "name",
              "optional": false,
              "type": "string"
            },
            {
              "name": "options",
              "optional": true,
              "type": "NamedBreakerOptions"
            }
          ],
          "returns": "CircuitBreaker"
        }
      },
      "getters": {
        "state": "BreakerState",
        "retryAfterMs": "number",
        "consecutiveFailures": "number",
        "windowCounts": "WindowCounts | undefined",
        "stats": "BreakerStats",
        "name": "string | undefined",
        "configMismatch": "boolean"
      }
    },
    "FlakyLlmClient": {
      "constructible": true,
      "parameters": [
        {
          "name": "options",
          "optional": true,
          "type": "FlakyOptions"
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
      "statics": {},
      "getters": {
        "calls": "number"
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
    "ModelRouter": {
      "constructible": true,
      "parameters": [
        {
          "name": "options",
          "optional": true,
          "type": "RouterOptions"
        }
      ],
      "methods": {
        "route": {
          "parameters": [
            {
              "name": "query",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "RouteDecision"
        },
        "getCached": {
          "parameters": [
            {
              "name": "key",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "string | undefined"
        },
        "setCached": {
          "parameters": [
            {
              "name": "key",
              "optional": false,
              "type": "string"
            },
            {
              "name": "value",
              "optional": false,
              "type": "string"
            }
          ],
          "returns": "boolean"
        },
        "clearCache": {
          "parameters": [],
          "returns": "void"
        },
        "cacheSize": {
          "parameters": [],
          "returns": "number"
        }
      },
      "statics": {},
      "getters": {}
    },
    "ResilientAgent": {
      "constructible": true,
      "parameters": [
        {
          "name": "options",
          "optional": false,
          "type": "AgentOptions"
        }
      ],
      "methods": {
        "invoke": {
          "parameters": [
            {
              "name": "prompt",
              "optional": false,
              "type": "string"
            },
            {
              "name": "options",
              "optional": true,
              "type": "InvokeOptions"
            }
          ],
          "returns": "Promise<AgentAnswer>"
        },
        "chatStream": {
          "parameters": [
            {
              "name": "prompt",
              "optional": false,
              "type": "string"
            },
            {
              "name": "onText",
              "optional": false,
              "type": "(text: string) => void | Promise<void>"
            },
            {
              "name": "options",
              "optional": true,
              "type": "InvokeOptions"
            }
          ],
          "returns": "Promise<AgentAnswer>"
        },
        "getStats": {
          "parameters": [],
          "returns": "AgentStats"
        },
        "resetStats": {
          "parameters": [],
          "returns": "void"
        },
        "shutdown": {
          "parameters": [],
          "returns": "void"
        },
        "snapshot": {
          "parameters": [
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "string"
        },
        "restore": {
          "parameters": [
            {
              "name": "snapshot",
              "optional": false,
              "type": "string"
            },
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
        }
      },
      "statics": {},
      "getters": {
        "listenerErrors": "number"
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
        },
        "snapshot": {
          "parameters": [
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "string"
        },
        "restore": {
          "parameters": [
            {
              "name": "snapshot",
              "optional": false,
              "type": "string"
            },
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
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
        },
        "snapshot": {
          "parameters": [
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "string"
        },
        "restore": {
          "parameters": [
            {
              "name": "snapshot",
              "optional": false,
              "type": "string"
            },
            {
              "name": "nowUnixMs",
              "optional": true,
              "type": "number"
            }
          ],
          "returns": "void"
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
    "NamedBreakerOptions": {
      "failureThreshold": {
        "optional": true,
        "type": "number"
      },
      "cooldownMs": {
        "optional": true,
        "type": "number"
      },
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
    "AcquireOptions": {
      "maxWaitMs": {
        "optional": true,
        "type": "number"
      },
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
      }
    },
    "AgentAnswer": {
      "result": {
        "optional": false,
        "type": "string"
      },
      "source": {
        "optional": false,
        "type": "AnswerSource"
      },
      "status": {
        "optional": false,
        "type": "OutcomeStatus"
      },
      "modelUsed": {
        "optional": false,
        "type": "ModelTier"
      },
      "degraded": {
        "optional": false,
        "type": "boolean"
      },
      "degradedFrom": {
        "optional": true,
        "type": "ModelTier"
      },
      "qualityCheckPassed": {
        "optional": false,
        "type": "boolean"
      },
      "route": {
        "optional": true,
        "type": "RouteDecision"
      },
      "fromBulkhead": {
        "optional": true,
        "type": "string"
      },
      "circuitState": {
        "optional": false,
        "type": "string"
      },
      "shared": {
        "optional": false,
        "type": "boolean"
      },
      "latencyMs": {
        "optional": false,
        "type": "number"
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
      "retryAfterMs": {
        "optional": true,
        "type": "number"
      },
      "passedOver": {
        "optional": false,
        "type": "Array<PassedOver>"
      },
      "trace": {
        "optional": false,
        "type": "Array<AttemptRecord>"
      }
    },
    "AgentBreakerOptions": {
      "timeout": {
        "optional": true,
        "type": "number"
      },
      "errorThresholdPercentage": {
        "optional": true,
        "type": "number"
      },
      "resetTimeout": {
        "optional": true,
        "type": "number"
      },
      "volumeThreshold": {
        "optional": true,
        "type": "number"
      },
      "rollingCountTimeout": {
        "optional": true,
        "type": "number"
      },
      "rollingCountBuckets": {
        "optional": true,
        "type": "number"
      }
    },
    "AgentOptions": {
      "models": {
        "optional": true,
        "type": "TierClients"
      },
      "client": {
        "optional": true,
        "type": "LlmClient | StreamingLlmClient"
      },
      "mockMode": {
        "optional": true,
        "type": "boolean"
      },
      "mockScenario": {
        "optional": true,
        "type": "string"
      },
      "router": {
        "optional": true,
        "type": "ModelRouter"
      },
      "maxRetries": {
        "optional": true,
        "type": "number"
      },
      "config": {
        "optional": true,
        "type": "ResilienceConfig"
      },
      "name": {
        "optional": true,
        "type": "string"
      },
      "breakerOptions": {
        "optional": true,
        "type": "AgentBreakerOptions"
      },
      "bulkheads": {
        "optional": true,
        "type": "TierBulkheads"
      },
      "enableDegradation": {
        "optional": true,
        "type": "boolean"
      },
      "qualityCheck": {
        "optional": true,
        "type": "(output: string, model: string) => boolean | number | Promise<boolean | number>"
      },
      "threshold": {
        "optional": true,
        "type": "number"
      },
      "belowThreshold": {
        "optional": true,
        "type": "string"
      },
      "maxModels": {
        "optional": true,
        "type": "number"
      },
      "strongerAfterError": {
        "optional": true,
        "type": "boolean"
      },
      "storeAnswers": {
        "optional": true,
        "type": "boolean"
      },
      "fallback": {
        "optional": true,
        "type": "string | FallbackFunction"
      },
      "onRetry": {
        "optional": true,
        "type": "(event: RetryEvent) => void"
      }
    },
    "AgentStats": {
      "totalCalls": {
        "optional": false,
        "type": "number"
      },
      "totalDegraded": {
        "optional": false,
        "type": "number"
      },
      "modelCalls": {
        "optional": false,
        "type": "Record<string, TierCalls>"
      },
      "circuitState": {
        "optional": false,
        "type": "string"
      },
      "circuits": {
        "optional": false,
        "type": "Record<string, Circuit>"
      },
      "circuitStats": {
        "optional": false,
        "type": "CircuitStats"
      },
      "bulkheadStats": {
        "optional": false,
        "type": "Record<string, BulkheadStats>"
      }
    },
    "AnswerCacheOptions": {
      "maxEntries": {
        "optional": true,
        "type": "number"
      },
      "maxBytes": {
        "optional": true,
        "type": "number"
      },
      "ttlMs": {
        "optional": true,
        "type": "number"
      },
      "similarity": {
        "optional": true,
        "type": "SimilarityOptions"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
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
    "BadScenario": {
      "success": {
        "optional": false,
        "type": "number"
      },
      "failed": {
        "optional": false,
        "type": "number"
      },
      "totalTimeMs": {
        "optional": false,
        "type": "number"
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
    "BreakerMetrics": {
      "name": {
        "optional": false,
        "type": "string"
      },
      "state": {
        "optional": false,
        "type": "BreakerState"
      },
      "retryAfterMs": {
        "optional": false,
        "type": "number"
      },
      "consecutiveFailures": {
        "optional": false,
        "type": "number"
      },
      "stats": {
        "optional": false,
        "type": "BreakerStats"
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
    "BreakerStatus": {
      "open": {
        "optional": false,
        "type": "boolean"
      },
      "halfOpen": {
        "optional": false,
        "type": "boolean"
      },
      "closed": {
        "optional": false,
        "type": "boolean"
      }
    },
    "BulkheadConfig": {
      "name": {
        "optional": false,
        "type": "string"
      },
      "maxConcurrent": {
        "optional": true,
        "type": "number"
      },
      "maxQueue": {
        "optional": true,
        "type": "number"
      },
      "maxWaitMs": {
        "optional": true,
        "type": "number"
      },
      "minTime": {
        "optional": true,
        "type": "number"
      },
      "reservoir": {
        "optional": true,
        "type": "number"
      },
      "reservoirRefreshAmount": {
        "optional": true,
        "type": "number"
      },
      "reservoirRefreshInterval": {
        "optional": true,
        "type": "number"
      },
      "overrunGraceMs": {
        "optional": true,
        "type": "number"
      }
    },
    "BulkheadMetrics": {
      "name": {
        "optional": false,
        "type": "string"
      },
      "stats": {
        "optional": false,
        "type": "BulkheadStats"
      }
    },
    "BulkheadStats": {
      "running": {
        "optional": false,
        "type": "number"
      },
      "queued": {
        "optional": false,
        "type": "number"
      },
      "overrunning": {
        "optional": false,
        "type": "number"
      },
      "done": {
        "optional": false,
        "type": "number"
      },
      "rejected": {
        "optional": false,
        "type": "number"
      },
      "timedOut": {
        "optional": false,
        "type": "number"
      },
      "cancelled": {
        "optional": false,
        "type": "number"
      },
      "overrun": {
        "optional": false,
        "type": "number"
      }
    },
    "CacheOptions": {
      "maxEntries": {
        "optional": true,
        "type": "number"
      },
      "maxBytes": {
        "optional": true,
        "type": "number"
      },
      "ttlMs": {
        "optional": true,
        "type": "number"
      }
    },
    "CacheStats": {
      "hits": {
        "optional": false,
        "type": "number"
      },
      "misses": {
        "optional": false,
        "type": "number"
      },
      "evicted": {
        "optional": false,
        "type": "number"
      },
      "expired": {
        "optional": false,
        "type": "number"
      },
      "entries": {
        "optional": false,
        "type": "number"
      },
      "bytes": {
        "optional": false,
        "type": "number"
      }
    },
    "CachedAnswer": {
      "text": {
        "optional": false,
        "type": "string"
      },
      "source": {
        "optional": false,
        "type": "string"
      },
      "similarity": {
        "optional": true,
        "type": "number"
      },
      "accepted": {
        "optional": false,
        "type": "boolean"
      },
      "outcome": {
        "optional": true,
        "type": "Object | string"
      }
    },
    "CachedCallOptions": {
      "question": {
        "optional": true,
        "type": "string"
      },
      "scope": {
        "optional": true,
        "type": "string | Object"
      },
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
      },
      "timeoutMs": {
        "optional": true,
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
    "CascadedCallOptions": {
      "prompt": {
        "optional": false,
        "type": "string"
      },
      "startingTier": {
        "optional": true,
        "type": "ModelTier"
      },
      "models": {
        "optional": true,
        "type": "TierClients"
      },
      "client": {
        "optional": true,
        "type": "LlmClient | StreamingLlmClient"
      },
      "mockMode": {
        "optional": true,
        "type": "boolean"
      },
      "mockScenario": {
        "optional": true,
        "type": "string"
      },
      "router": {
        "optional": true,
        "type": "ModelRouter"
      },
      "maxRetries": {
        "optional": true,
        "type": "number"
      },
      "config": {
        "optional": true,
        "type": "ResilienceConfig"
      },
      "qualityCheck": {
        "optional": true,
        "type": "(output: string, model: string) => boolean | number | Promise<boolean | number>"
      },
      "threshold": {
        "optional": true,
        "type": "number"
      },
      "belowThreshold": {
        "optional": true,
        "type": "string"
      },
      "maxModels": {
        "optional": true,
        "type": "number"
      },
      "strongerAfterError": {
        "optional": true,
        "type": "boolean"
      },
      "fallback": {
        "optional": true,
        "type": "string | FallbackFunction"
      },
      "data": {
        "optional": true,
        "type": "Object"
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
      }
    },
    "Circuit": {
      "state": {
        "optional": false,
        "type": "string"
      },
      "stats": {
        "optional": false,
        "type": "BreakerStats"
      }
    },
    "CircuitStats": {
      "successes": {
        "optional": false,
        "type": "number"
      },
      "failures": {
        "optional": false,
        "type": "number"
      },
      "fallbacks": {
        "optional": false,
        "type": "number"
      }
    },
    "CreateBreakerOptions": {
      "timeout": {
        "optional": true,
        "type": "number"
      },
      "errorThresholdPercentage": {
        "optional": true,
        "type": "number"
      },
      "resetTimeout": {
        "optional": true,
        "type": "number"
      },
      "volumeThreshold": {
        "optional": true,
        "type": "number"
      },
      "rollingCountTimeout": {
        "optional": true,
        "type": "number"
      },
      "rollingCountBuckets": {
        "optional": true,
        "type": "number"
      },
      "name": {
        "optional": true,
        "type": "string"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
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
    "FireStats": {
      "fires": {
        "optional": false,
        "type": "number"
      },
      "successes": {
        "optional": false,
        "type": "number"
      },
      "failures": {
        "optional": false,
        "type": "number"
      },
      "timeouts": {
        "optional": false,
        "type": "number"
      },
      "rejects": {
        "optional": false,
        "type": "number"
      },
      "fallbacks": {
        "optional": false,
        "type": "number"
      },
      "listenerErrors": {
        "optional": false,
        "type": "number"
      }
    },
    "FlakyOptions": {
      "failureRate": {
        "optional": true,
        "type": "number"
      },
      "latencyMs": {
        "optional": true,
        "type": "number"
      },
      "latencySpreadMs": {
        "optional": true,
        "type": "number"
      },
      "seed": {
        "optional": true,
        "type": "number"
      },
      "reply": {
        "optional": true,
        "type": "string"
      },
      "errors": {
        "optional": true,
        "type": "Array<number>"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
      }
    },
    "InvokeOptions": {
      "tier": {
        "optional": true,
        "type": "ModelTier"
      },
      "data": {
        "optional": true,
        "type": "Object"
      },
      "noStore": {
        "optional": true,
        "type": "boolean"
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
      }
    },
    "Metrics": {
      "breakers": {
        "optional": false,
        "type": "Array<BreakerMetrics>"
      },
      "bulkheads": {
        "optional": false,
        "type": "Array<BulkheadMetrics>"
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
    "ModelCosts": {
      "premium": {
        "optional": true,
        "type": "number"
      },
      "standard": {
        "optional": true,
        "type": "number"
      },
      "economy": {
        "optional": true,
        "type": "number"
      }
    },
    "ModelNames": {
      "premium": {
        "optional": true,
        "type": "string"
      },
      "standard": {
        "optional": true,
        "type": "string"
      },
      "economy": {
        "optional": true,
        "type": "string"
      }
    },
    "ModelRequest": {
      "prompt": {
        "optional": false,
        "type": "string"
      },
      "model": {
        "optional": false,
        "type": "string"
      },
      "data": {
        "optional": true,
        "type": "Object"
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
    "PresetAnswer": {
      "question": {
        "optional": false,
        "type": "string"
      },
      "answer": {
        "optional": false,
        "type": "string"
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
      "retryAfterSpread": {
        "optional": true,
        "type": "number"
      },
      "maxTotalAttempts": {
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
      "retryAfterSpread": {
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
    "RouteDecision": {
      "model": {
        "optional": false,
        "type": "ModelTier"
      },
      "reason": {
        "optional": false,
        "type": "RouteReason"
      },
      "estimatedCostPer1kTokens": {
        "optional": false,
        "type": "number"
      }
    },
    "RouterOptions": {
      "simpleWords": {
        "optional": true,
        "type": "Array<string>"
      },
      "complexWords": {
        "optional": true,
        "type": "Array<string>"
      },
      "wordMatch": {
        "optional": true,
        "type": "string"
      },
      "shortQueryChars": {
        "optional": true,
        "type": "number"
      },
      "models": {
        "optional": true,
        "type": "ModelNames"
      },
      "costs": {
        "optional": true,
        "type": "ModelCosts"
      },
      "presetAnswers": {
        "optional": true,
        "type": "PresetAnswer[]"
      },
      "normalization": {
        "optional": true,
        "type": "string"
      },
      "keyChars": {
        "optional": true,
        "type": "number"
      },
      "cache": {
        "optional": true,
        "type": "CacheOptions"
      },
      "clock": {
        "optional": true,
        "type": "ManualClock"
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
      "retryAfterSpread": {
        "optional": true,
        "type": "number"
      },
      "maxTotalAttempts": {
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
    "ScheduleOptions": {
      "maxWaitMs": {
        "optional": true,
        "type": "number"
      },
      "timeoutMs": {
        "optional": true,
        "type": "number"
      },
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
      }
    },
    "SimilarityOptions": {
      "embed": {
        "optional": false,
        "type": "(question: string) => Promise<number[]>"
      },
      "dimensions": {
        "optional": false,
        "type": "number"
      },
      "threshold": {
        "optional": true,
        "type": "number"
      },
      "embedTimeoutMs": {
        "optional": true,
        "type": "number"
      }
    },
    "SimpleRetryOptions": {
      "retries": {
        "optional": true,
        "type": "number"
      },
      "minTimeout": {
        "optional": true,
        "type": "number"
      },
      "maxTimeout": {
        "optional": true,
        "type": "number"
      },
      "factor": {
        "optional": true,
        "type": "number"
      },
      "randomize": {
        "optional": true,
        "type": "boolean"
      },
      "attemptTimeoutMs": {
        "optional": true,
        "type": "number"
      },
      "shouldRetry": {
        "optional": true,
        "type": "(error: Error) => boolean"
      },
      "onFailedAttempt": {
        "optional": true,
        "type": "(error: Error, attempt: number) => void"
      },
      "cancelToken": {
        "optional": true,
        "type": "CancelToken"
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
    "TierBulkhead": {
      "maxConcurrent": {
        "optional": true,
        "type": "number"
      },
      "maxQueue": {
        "optional": true,
        "type": "number"
      },
      "maxWaitMs": {
        "optional": true,
        "type": "number"
      },
      "minTime": {
        "optional": true,
        "type": "number"
      },
      "reservoir": {
        "optional": true,
        "type": "number"
      },
      "reservoirRefreshAmount": {
        "optional": true,
        "type": "number"
      },
      "reservoirRefreshInterval": {
        "optional": true,
        "type": "number"
      },
      "overrunGraceMs": {
        "optional": true,
        "type": "number"
      }
    },
    "TierBulkheads": {
      "premium": {
        "optional": true,
        "type": "TierBulkhead"
      },
      "standard": {
        "optional": true,
        "type": "TierBulkhead"
      },
      "economy": {
        "optional": true,
        "type": "TierBulkhead"
      }
    },
    "TierCalls": {
      "success": {
        "optional": false,
        "type": "number"
      },
      "failed": {
        "optional": false,
        "type": "number"
      }
    },
    "TierClients": {
      "premium": {
        "optional": false,
        "type": "LlmClient | StreamingLlmClient"
      },
      "standard": {
        "optional": false,
        "type": "LlmClient | StreamingLlmClient"
      },
      "economy": {
        "optional": false,
        "type": "LlmClient | StreamingLlmClient"
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
    "AnswerSource": {
      "Model": "model",
      "Cache": "cache",
      "Fallback": "fallback",
      "None": "none"
    },
    "BreakerState": {
      "CLOSED": 0,
      "OPEN": 1,
      "HALF_OPEN": 2
    },
    "DelaySource": {
      "Backoff": "backoff",
      "RetryAfter": "retry_after",
      "Reconnect": "reconnect",
      "Cooldown": "cooldown"
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
      "Rejected": "rejected",
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
    "ModelTier": {
      "Premium": "gpt-4o",
      "Standard": "gpt-4o-mini",
      "Economy": "deepseek-chat",
      "Cache": "semantic-cache"
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
    "RouteReason": {
      "CacheHit": "cache_hit",
      "SimpleQuery": "simple_query",
      "Complexity": "complexity",
      "CostFirst": "cost_first",
      "Fallback": "fallback"
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
    "FallbackFunction": "(failure: FailureInfo) => string | Promise<string>",
    "CascadedResult": "AgentAnswer",
    "ResilientInvokeResult": "AgentAnswer",
    "ResilientAgentOptions": "AgentOptions",
    "AgentResilienceStats": "AgentStats"
  },
  "constants": {
    "DEFAULT_BREAKER_OPTIONS": "CreateBreakerOptions",
    "PRESET_BULKHEADS": "Record<string, BulkheadConfig>",
    "MODEL_TIER_ORDER": "ModelTier[]",
    "STATIC_FALLBACK_RESPONSE": "string"
  }
}
