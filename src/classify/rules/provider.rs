//! Which provider an id or a host names.

use super::*;

/// A family of error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::classify) enum Provider {
    OpenAi,
    Azure,
    DeepSeek,
    Baichuan,
    StepFun,
    Anthropic,
    Google,
    DashScope,
    QianfanV1,
    QianfanV2,
    Zhipu,
    Moonshot,
    Hunyuan,
    Ark,
    MiniMax,
    Spark,
    SiliconFlow,
    Huawei,
    OpenRouter,
    Local,
}

use Provider::*;

/// Words in an id or host. Platforms that host models of others come first: their name says whose codes are used.
#[rustfmt::skip]
const HINTS: [(Provider, &[&str]); 19] = [
    (OpenRouter,  &["openrouter"]),
    (SiliconFlow, &["siliconflow", "siliconcloud"]),
    (DashScope,   &["dashscope", "aliyun", "bailian", "modelstudio", "alibaba"]),
    (QianfanV2,   &["qianfan", "baidu", "baidubce", "wenxin"]),
    (Ark,         &["volces", "volcengine", "ark", "doubao", "bytedance", "byteplus"]),
    (Huawei,      &["modelarts", "huaweicloud", "huawei", "pangu", "maas"]),
    (Azure,       &["azure"]),
    (Local,       &["ollama", "vllm", "llama.cpp", "llamacpp", "llama-cpp", "lmstudio"]),
    (Zhipu,       &["zhipu", "bigmodel", "z.ai", "zai", "glm", "chatglm"]),
    (Moonshot,    &["moonshot", "kimi"]),
    (Hunyuan,     &["hunyuan", "tencent", "tencentcloudapi"]),
    (MiniMax,     &["minimax", "minimaxi"]),
    (Spark,       &["xf-yun", "xfyun", "iflytek", "spark"]),
    (Baichuan,    &["baichuan"]),
    (StepFun,     &["stepfun"]),
    (DeepSeek,    &["deepseek"]),
    (Google,      &["google", "googleapis", "gemini", "vertex"]),
    (Anthropic,   &["anthropic", "claude"]),
    (OpenAi,      &["openai"]),
];

impl Provider {
    /// Providers whose codes say what they are, so that they are known without the provider. The order decides where
    /// two use one code; MiniMax is not here, because its numbers are also Zhipu's.
    pub(super) const SPEAKS_PLAINLY: [Self; 17] = [
        OpenAi,
        Anthropic,
        Google,
        DashScope,
        QianfanV2,
        Ark,
        Zhipu,
        Moonshot,
        Hunyuan,
        Huawei,
        OpenRouter,
        Spark,
        SiliconFlow,
        QianfanV1,
        Local,
        Azure,
        StepFun,
    ];

    /// The provider that an id or a host names.
    pub(in crate::classify) fn from_hint(hint: &str) -> Option<Self> {
        let words = Words::new([hint]);
        HINTS.iter().find(|row| words.has_any(row.1)).map(|row| row.0)
    }

    pub(super) const fn rules(self) -> &'static [Rule] {
        match self {
            OpenAi => openai::OPENAI,
            Azure => openai::AZURE,
            DeepSeek => openai::DEEPSEEK,
            Baichuan => openai::BAICHUAN,
            StepFun => openai::STEPFUN,
            Anthropic => anthropic::ANTHROPIC,
            Google => google::GOOGLE,
            DashScope => alibaba::DASHSCOPE,
            QianfanV1 => baidu::QIANFAN_V1,
            QianfanV2 => baidu::QIANFAN_V2,
            Zhipu => zhipu::ZHIPU,
            Moonshot => moonshot::MOONSHOT,
            Hunyuan => tencent::HUNYUAN,
            Ark => bytedance::ARK,
            MiniMax => minimax::MINIMAX,
            Spark => iflytek::SPARK,
            SiliconFlow => siliconflow::SILICONFLOW,
            Huawei => huawei::HUAWEI,
            OpenRouter => openrouter::OPENROUTER,
            Local => local::LOCAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rule_is_hidden_by_one_above_it() {
        // Version 1 of Qianfan has no name of its own.
        for provider in HINTS.iter().map(|row| row.0).chain([QianfanV1]) {
            let rules = provider.rules();
            for (index, rule) in rules.iter().enumerate() {
                for code in rule.codes {
                    let hidden = rules[..index].iter().any(|above| {
                        above.codes.iter().any(|pattern| matches(pattern, code))
                            && (above.place.is_none() || above.place == rule.place)
                            && above.statuses.is_empty()
                            && above.text.is_empty()
                            && !above.vague
                    });
                    assert!(!hidden, "{provider:?}: {code}");
                }
            }
        }
    }

    #[test]
    fn hosts_and_ids() {
        for (hint, provider) in [
            ("api.openai.com", Some(OpenAi)),
            ("https://my-name.openai.azure.com/openai", Some(Azure)),
            ("api.anthropic.com", Some(Anthropic)),
            ("generativelanguage.googleapis.com", Some(Google)),
            ("api.deepseek.com", Some(DeepSeek)),
            ("dashscope.aliyuncs.com", Some(DashScope)),
            ("qwen3 on dashscope-intl", Some(DashScope)),
            ("qianfan.baidubce.com", Some(QianfanV2)),
            ("open.bigmodel.cn", Some(Zhipu)),
            ("api.z.ai", Some(Zhipu)),
            ("api.moonshot.cn", Some(Moonshot)),
            ("Kimi", Some(Moonshot)),
            ("hunyuan.tencentcloudapi.com", Some(Hunyuan)),
            ("ark.cn-beijing.volces.com", Some(Ark)),
            ("api.minimaxi.com", Some(MiniMax)),
            ("spark-api-open.xf-yun.com", Some(Spark)),
            ("api.baichuan-ai.com", Some(Baichuan)),
            ("api.stepfun.com", Some(StepFun)),
            ("api.siliconflow.cn", Some(SiliconFlow)),
            ("deepseek-v3@siliconflow", Some(SiliconFlow)),
            ("api.modelarts-maas.com", Some(Huawei)),
            ("openrouter.ai", Some(OpenRouter)),
            ("ollama", Some(Local)),
            ("localhost:11434", None),
            ("marketing.example", None),
            ("", None),
        ] {
            assert_eq!(Provider::from_hint(hint), provider, "{hint}");
        }
    }
}
