// What the README's client uses of @kit.NetworkKit, in our own words. HarmonyOS's SDK can't be had by a CI.
export namespace http {
  enum RequestMethod { GET = 'GET', POST = 'POST' }
  enum HttpDataType { STRING, OBJECT = 1, ARRAY_BUFFER = 2 }
  interface HttpRequestOptions {
    method?: RequestMethod
    header?: Object
    extraData?: string | Object | ArrayBuffer
    expectDataType?: HttpDataType
    connectTimeout?: number
    readTimeout?: number
  }
  interface HttpResponse {
    result: string | Object | ArrayBuffer
    responseCode: number
    header: Object
  }
  interface HttpRequest {
    request(url: string, options?: HttpRequestOptions): Promise<HttpResponse>
    destroy(): void
  }
  function createHttp(): HttpRequest
}

export namespace connection {
  interface NetConnection {
    on(type: 'netAvailable' | 'netLost', callback: (network: Object) => void): void
    register(callback: (error: Object) => void): void
  }
  function createNetConnection(): NetConnection
  function hasDefaultNetSync(): boolean
}
